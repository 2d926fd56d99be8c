import type { NodePath } from "@babel/traverse";
import type * as t from "@babel/types";
import {
  ByHand,
  continuesStatement,
  type Edits,
  endOf,
  inner,
  isMember,
  keyOf,
  type Path,
  refuseComments,
  startOf,
  textOf,
} from "./program.ts";
import { argumentOf, type Converted, type Parameter, type Rule } from "./rule.ts";
import { type Call, removeStatement } from "./sites.ts";
import { bindingOf, traceOrigin } from "./values.ts";

interface Item {
  parameter: Parameter;
  path: Path;
  converted: Converted;
}

/** Changes the arguments of a call to those of the kit: the first one, and options by name. Throws `ByHand`. */
export function rewriteArguments(call: Call, { parameters }: Rule, edits: Edits): void {
  const all = call.path.get("arguments") as Path[];
  refuseUnclear(call, all, parameters);
  const items = parameters.flatMap((parameter, index): Item[] => {
    const path = all[index];
    if (!path) return [];
    const isMissing = parameter.missing !== undefined && !argumentOf(call, index);
    return [{ parameter, path, converted: isMissing ? "drop" : (parameter.convert?.(call, index) ?? {}) }];
  });
  const added = parameters.flatMap(({ missing }, index) => (missing && !argumentOf(call, index) ? [missing] : []));
  for (const { converted, path } of items) {
    const previous = all[all.indexOf(path) - 1];
    if (converted !== "drop") continue;
    if (!previous) throw new ByHand("its first argument has no meaning to keeplight", path);
    edits.removeCode(call.program, endOf(previous), endOf(path));
  }
  const kept = items.filter(({ converted }) => converted !== "drop");
  const paths = kept.map(({ path }) => path);
  const subject = kept.find(({ parameter }) => parameter.option === undefined)?.path;
  if (subject && subject !== paths[0]) moveFirst(call, subject, paths, edits);
  for (const item of kept) convert(call, item, edits);
  const options = paths.filter((path) => path !== subject);
  wrapOptions(call, subject, options, added, edits);
}

function refuseUnclear(call: Call, all: readonly Path[], parameters: readonly Parameter[]): void {
  const { typeParameters, typeArguments } = call.path.node;
  if (typeParameters || typeArguments) throw new ByHand("it has type arguments");
  const spread = all.find((each) => each.isSpreadElement());
  if (spread) throw new ByHand("its arguments are spread from a list", spread);
  if (all.length > parameters.length) throw new ByHand("it has more arguments than parameters", all[parameters.length]);
  const lacking = parameters.find(({ optional }, index) => !optional && !argumentOf(call, index));
  if (lacking) throw new ByHand(`its argument ${lacking.name} is missing`);
}

function moveFirst({ program }: Call, subject: Path, paths: readonly Path[], edits: Edits): void {
  const at = paths.indexOf(subject);
  const [first, previous] = [paths[0], paths[at - 1]];
  if (!first || !previous) return;
  const others = paths.slice(0, at);
  const isOrderOpen = isFixed(subject) || others.every(isFixed) || (isPlain(subject) && others.every(isPlain));
  if (!isOrderOpen) {
    throw new ByHand("its arguments would be evaluated in another order: put them into constants first", subject);
  }
  edits.removeCode(program, endOf(previous), startOf(subject));
  edits.move(startOf(subject), endOf(subject), startOf(first));
}

/** Whether an expression has the same value whenever it is evaluated, and does nothing else. */
export function isFixed(path: Path): boolean {
  if (path.isArrayExpression()) return path.get("elements").every((each) => isFixed(each as Path));
  return isLiteral(path) || (path.isIdentifier() && bindingOf(path)?.constant === true);
}

/** Whether evaluating an expression only reads variables and properties. */
export function isPlain(path: Path): boolean {
  if (isLiteral(path) || path.isIdentifier() || path.isThisExpression() || path.isMetaProperty()) return true;
  if (isMember(path)) {
    return isPlain(path.get("object")) && (!path.node.computed || isPlain(path.get("property") as Path));
  }
  if (path.isTemplateLiteral()) return path.get("expressions").every((each) => isPlain(each as Path));
  if (path.isArrayExpression()) {
    return path.get("elements").every((each) => each.node !== null && isPlain(each as Path));
  }
  const isWrapped = path.isTSNonNullExpression() || path.isTSAsExpression() || path.isParenthesizedExpression();
  return isWrapped && isPlain(path.get("expression") as Path);
}

function isLiteral(path: Path): boolean {
  return path.isLiteral() && !path.isTemplateLiteral() && !path.isRegExpLiteral();
}

function convert({ program }: Call, { parameter, path, converted }: Item, edits: Edits): void {
  if (converted === "drop") return;
  if ("spread" in converted) {
    const properties = path.get("properties") as Path[];
    const [first, last] = [properties[0] ?? path, properties.at(-1) ?? path];
    edits.removeCode(program, startOf(path), startOf(first));
    edits.removeCode(program, endOf(last), endOf(path));
    for (const { property, prefix, suffix } of converted.spread) {
      const { shorthand } = property.node as t.ObjectProperty;
      edits.before(startOf(property.get("value") as Path), `${shorthand ? `${keyOf(property)}: ` : ""}${prefix}`);
      edits.after(endOf(property), suffix);
    }
  } else if ("text" in converted) {
    refuseComments(program, startOf(path), endOf(path));
    edits.replace(startOf(path), endOf(path), converted.text);
  } else {
    const { option: name } = parameter;
    const { prefix = "", suffix = "" } = converted;
    const isShort = path.isIdentifier({ name }) && prefix === "" && suffix === "";
    edits.before(startOf(path), name === undefined || isShort ? prefix : `${name}: ${prefix}`);
    edits.after(endOf(path), suffix);
  }
}

/** Puts all but the first argument into an object. */
function wrapOptions(
  { program: { text } }: Call,
  subject: Path | undefined,
  options: readonly Path[],
  added: readonly string[],
  edits: Edits,
): void {
  const [first, ...others] = options;
  const last = options.at(-1);
  if (!first || !last) {
    if (subject && added.length > 0) edits.after(endOf(subject), `, { ${added.join(", ")} }`);
    return;
  }
  const isMoved = subject !== undefined && startOf(subject) > startOf(first);
  // If the first argument was moved, the comma after it has to be added.
  if (isMoved) edits.after(endOf(subject), ", ");
  // White space in front of an argument that starts a line.
  const indentOf = (path: Path) => /(?:^|\n)([ \t]*)$/.exec(text.slice(0, startOf(path)))?.[1];
  const indent = isMoved ? undefined : indentOf(first);
  const separator = indent === undefined ? ", " : `,\n${indent}  `;
  for (const each of indent === undefined ? [] : others) {
    if (indentOf(each) !== undefined) edits.before(startOf(each), "  ");
  }
  edits.before(startOf(first), indent === undefined ? "{ " : `{\n${indent}  `);
  const end = indent === undefined ? " }" : `,\n${indent}}`;
  edits.after(endOf(last), added.map((each) => separator + each).join("") + end);
}

/** A `fetchEncryptionKey` that is followed by the `decryptFile` of its key: one call of the kit does both. */
export interface Pair {
  fetch: Call;
  /** The statement that is no longer required. */
  statement: Path;
}

/** Finds the call that fetches the key of a `decryptFile`, if only constants are between them and nothing else uses the key. */
export function findPair(decrypt: Call): Pair | undefined {
  const source = traceOrigin(argumentOf(decrypt, 1));
  const awaited = source?.origin.isAwaitExpression() ? inner(source.origin.get("argument")) : undefined;
  const fetch = decrypt.siblings.find(({ path, name }) => path === awaited && name === "fetchEncryptionKey");
  if (!fetch || source?.names.join(".") !== "data.key") return undefined;
  const declarator = fetch.path.findParent((each) => each.isVariableDeclarator());
  const statement = declarator?.parentPath;
  if (!declarator || !statement?.isVariableDeclaration() || statement.node.declarations.length > 1) return undefined;
  const names = Object.keys(declarator.getBindingIdentifiers());
  const isUsedOnce = names.length === 1 && declarator.scope.getBinding(names[0] ?? "")?.referencePaths.length === 1;
  const args = fetch.path.get("arguments") as Path[];
  const [cid, same] = [args[0], argumentOf(decrypt, 0)];
  const isSame = cid && same && textOf(decrypt.program, cid) === textOf(decrypt.program, same);
  const isCertain = args.length === 3 && args.every(isFixed) && isSame && isUsedOnce;
  return isCertain && isNextTo(decrypt, statement) ? { fetch, statement } : undefined;
}

function isNextTo({ program, path }: Call, statement: NodePath<t.VariableDeclaration>): boolean {
  let next: Path = statement.getNextSibling();
  while (next.isVariableDeclaration() && next.get("declarations").every((each) => isFixed(each.get("init") as Path))) {
    next = next.getNextSibling();
  }
  if (!next.node || continuesStatement(textOf(program, statement.getNextSibling()))) return false;
  if (next.isLoop() || next.isIfStatement() || next.isSwitchStatement() || next.isTryStatement()) return false;
  // The statement has to run the call once, and not later.
  const isLater = (at: Path) => /Function|Class|Method|Block|Logical|Conditional|Statement$/.test(at.node.type);
  const stop = path.findParent((at) => at === next || isLater(at));
  return stop === next;
}

/** Removes the statement that fetches the key; returns the options that stand for it. */
export function mergePair({ fetch, statement }: Pair, edits: Edits): string {
  const { program } = fetch;
  const [, address, token] = fetch.path.get("arguments") as Path[];
  if (!address || !token) throw new ByHand("its arguments are missing");
  refuseComments(program, startOf(statement), endOf(statement));
  removeStatement(program, statement, edits);
  const write = (name: string, path: Path) => {
    const text = textOf(program, path);
    return text === name ? name : `${name}: ${text}`;
  };
  return `${write("address", address)}, ${write("authToken", token)}`;
}
