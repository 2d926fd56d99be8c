import { ByHand } from "../by-hand.ts";
import { argumentOf, type Call } from "../call.ts";
import { dottedName } from "../results/values.ts";
import { childOf, isMember, isType, keyOf, listOf, type Node, nameOf, stringOf } from "../syntax/node.ts";
import { findConstant } from "../syntax/scopes.ts";
import type { Converter } from "../table/types.ts";

/** Returns the expression that an argument is: of a constant its value. */
function resolveArgument(call: Call, index: number): Node | undefined {
  const node = argumentOf(call, index);
  return isType(node, "Identifier") ? (findConstant(call.program.names, node) ?? node) : node;
}

const PATH_CALLS = /^(path|nodePath|posix|process)\.(join|resolve|normalize|cwd)$|^fileURLToPath$|^(join|resolve)$/;

/** Whether an expression is certain to be a string. */
export function isString(call: Call, node: Node | undefined): boolean {
  if (stringOf(node) !== undefined || isType(node, "TemplateLiteral")) return true;
  if (isType(node, "BinaryExpression")) {
    return (
      node["operator"] === "+" && (isString(call, childOf(node, "left")) || isString(call, childOf(node, "right")))
    );
  }
  if (isType(node, "CallExpression")) return PATH_CALLS.test(dottedName(childOf(node, "callee")) ?? "");
  if (!isType(node, "Identifier")) return false;
  if (nameOf(node) === "__filename" || nameOf(node) === "__dirname") return true;
  const binding = call.program.names.resolve(node);
  const annotation = childOf(childOf(binding?.identifier, "typeAnnotation"), "typeAnnotation");
  if (isType(annotation, "TSStringKeyword")) return true;
  const constant = findConstant(call.program.names, node);
  return constant !== undefined && constant !== node && isString(call, constant);
}

/** What is uploaded: a path, or one file of a page. Several files of a page become a folder in the incumbent only. */
export const toSource: Converter = (call, index) => {
  const node = argumentOf(call, index);
  if (call.program.runtime === "node" || isString(call, node)) return {};
  const value = resolveArgument(call, index);
  const isItem = isMember(value) && isType(childOf(value, "property"), "NumericLiteral");
  const isOne = isType(value, "ArrayExpression") && listOf(value, "elements").length === 1;
  const isNew = isType(value, "NewExpression") && /^(File|Blob|URL)$/.test(dottedName(childOf(value, "callee")) ?? "");
  if (isItem || isNew || (isOne && !isType(listOf(value, "elements")[0], "SpreadElement"))) return {};
  throw new ByHand(
    "it may receive a page's list of files, which becomes a folder: upload(files, { apiKey, wrapWithDirectory: true })",
    node,
  );
};

const BYTES = /^(Buffer\.(from|alloc|concat)|(fs|fsPromises|promises)\.readFile(Sync)?|readFile(Sync)?)$/;

/** Bytes: the kit refuses a string here. */
export const toBytes: Converter = (call, index) => {
  const node = argumentOf(call, index);
  if (!isBytes(call, resolveArgument(call, index)) && !hasBytesType(call, node)) {
    throw new ByHand(
      "whether it receives bytes, a Blob or a string is not certain: upload(blob, …), uploadText(text, …)",
      node,
    );
  }
  return {};
};

function isBytes(call: Call, value: Node | undefined): boolean {
  if (isType(value, "AwaitExpression")) return isBytes(call, childOf(value, "argument"));
  if (isType(value, "NewExpression")) {
    return /^(Uint8Array|ArrayBuffer)$/.test(dottedName(childOf(value, "callee")) ?? "");
  }
  if (!isType(value, "CallExpression")) return false;
  const callee = childOf(value, "callee");
  if (isMember(callee) && /^(arrayBuffer|encode|randomBytes)$/.test(keyOf(callee) ?? "")) return true;
  const name = dottedName(callee) ?? "";
  if (!BYTES.test(name)) return false;
  // With an encoding it reads a string.
  return !/readFile/.test(name) || listOf(value, "arguments").length === 1;
}

function hasBytesType({ program }: Call, node: Node | undefined): boolean {
  const binding = isType(node, "Identifier") ? program.names.resolve(node) : undefined;
  const annotation = childOf(childOf(binding?.identifier, "typeAnnotation"), "typeAnnotation");
  return /^(Buffer|Uint8Array|ArrayBuffer)$/.test(nameOf(childOf(annotation, "typeName")) ?? "");
}

/** A CAR file: the incumbent refuses other names. */
export const toCar: Converter = (call, index) => {
  const node = argumentOf(call, index);
  const value = resolveArgument(call, index);
  const parts = isType(value, "TemplateLiteral") ? listOf(value, "quasis") : listOf(value, "arguments");
  const end = stringOf(value) ?? stringOf(parts.at(-1)) ?? (parts.at(-1)?.["value"] as { cooked?: string })?.cooked;
  if (end !== undefined && /\.car$/i.test(end)) return {};
  throw new ByHand("whether its name ends in .car is not certain, and keeplight accepts any name", node);
};
