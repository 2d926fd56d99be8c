import type * as t from "@babel/types";
import { isPlain } from "./arguments.ts";
import { around, ByHand, dottedName, inner, isMember, keyOf, type Path, stringOf } from "./program.ts";
import { argumentOf, type Converted, type Converter } from "./rule.ts";
import type { Call } from "./sites.ts";
import { bindingOf, findOutcome, isPrinted, listUses, resolve, traceOrigin } from "./values.ts";

const calleeOf = (path: Path): string => dottedName(path.get("callee") as Path) ?? "";

function typeOf(path: Path): t.TSType | undefined {
  const annotation = bindingOf(path)?.identifier.typeAnnotation;
  return annotation?.type === "TSTypeAnnotation" ? annotation.typeAnnotation : undefined;
}

const PATH_CALLS = /^(path|nodePath|posix|process)\.(join|resolve|normalize|cwd)$|^fileURLToPath$|^(join|resolve)$/;

/** Whether an expression is certain to be a string. */
function isString({ program }: Call, expression: Path): boolean {
  const seen = new Set<t.Node>();
  const check = (path: Path): boolean => {
    if (seen.has(path.node)) return false;
    seen.add(path.node);
    if (path.isStringLiteral() || path.isTemplateLiteral()) return true;
    if (path.isParenthesizedExpression()) return check(path.get("expression"));
    if (path.isBinaryExpression({ operator: "+" })) return [path.get("left") as Path, path.get("right")].some(check);
    if (path.isLogicalExpression())
      return [path.get("left"), path.get("right")].every((each) => check(each) || isVariable(each));
    if (path.isCallExpression()) return PATH_CALLS.test(calleeOf(path));
    // What is not set is refused by both.
    if (isVariable(path)) return !program.isTyped;
    if (path.isTSNonNullExpression()) return isVariable(path.get("expression")) || check(path.get("expression"));
    if (path.isTSAsExpression()) return path.get("typeAnnotation").isTSStringKeyword();
    if (!path.isIdentifier()) return false;
    if (/^__(file|dir)name$/.test(path.node.name) || typeOf(path)?.type === "TSStringKeyword") return true;
    const value = resolve(path);
    return value !== path ? check(value) : isPassed(path);
  };
  /** Whether a parameter receives a string by every call of its function. */
  const isPassed = (path: Path): boolean => {
    const binding = bindingOf(path);
    const maker = binding?.scope.path;
    if (!binding?.constant || binding.kind !== "param" || !maker?.isFunction()) return false;
    const index = maker.node.params.indexOf(binding.identifier as t.Identifier);
    const declared = maker.isFunctionDeclaration() ? maker.get("id") : around(maker)?.get("id");
    const name = declared as Path | undefined;
    const made = name?.isIdentifier() ? name.scope.getBinding(name.node.name) : undefined;
    if (!made?.constant || index < 0 || made.referencePaths.length === 0) return false;
    return made.referencePaths.every((reference) => {
      const call = reference.parentPath;
      const passed = call?.isCallExpression() && reference.key === "callee" ? call.get("arguments")[index] : undefined;
      return passed !== undefined && check(passed as Path);
    });
  };
  return check(expression);
}

/** `process.env.NAME`: a string, if it is set. */
function isVariable(path: Path): boolean {
  return path.isMemberExpression() && dottedName(path.get("object")) === "process.env";
}

/** Creates a converter of what `convert` converts; the rest is left by hand, for this reason. */
function accept(reason: string, convert: (path: Path | undefined, call: Call) => Converted | undefined | false) {
  return (call: Call, index: number): Converted => {
    const path = argumentOf(call, index);
    const converted = convert(path, call);
    if (converted) return converted;
    throw new ByHand(reason, path);
  };
}

/** What is uploaded: a path, or one file of a page. Several files of a page become a folder in the incumbent only. */
export const toSource = accept(
  "it may receive a page's list of files, which becomes a folder: upload(files, { apiKey, wrapWithDirectory: true })",
  (path, call) => {
    if (!path || call.program.runtime === "node" || isString(call, path)) return {};
    const value = resolve(path);
    const isItem = isMember(value) && (value.get("property") as Path).isNumericLiteral();
    const [only, ...others] = value.isArrayExpression() ? (value.get("elements") as Path[]) : [];
    const isNew = value.isNewExpression() && /^(File|Blob|URL)$/.test(calleeOf(value));
    return (isItem || isNew || (only && others.length === 0 && !only.isSpreadElement())) && {};
  },
);

const BYTES = /^(Buffer\.(from|alloc|concat)|(fs|fsPromises|promises|fs\.promises)\.readFile(Sync)?|readFile(Sync)?)$/;

/** Bytes: the kit refuses a string here. */
export const toBytes = accept(
  "whether it receives bytes, a Blob or a string is not certain: upload(blob, …), uploadText(text, …)",
  (path) => {
    const type = path && typeOf(path);
    const name = type?.type === "TSTypeReference" && type.typeName.type === "Identifier" ? type.typeName.name : "";
    return path && (isBytes(resolve(path)) || /^(Buffer|Uint8Array|ArrayBuffer)$/.test(name)) && {};
  },
);

function isBytes(path: Path): boolean {
  if (path.isAwaitExpression()) return isBytes(inner(path.get("argument")));
  if (path.isNewExpression()) return /^(Uint8Array|ArrayBuffer)$/.test(calleeOf(path));
  if (!path.isCallExpression()) return false;
  const callee = path.get("callee") as Path;
  if (isMember(callee) && /^(arrayBuffer|encode|randomBytes)$/.test(keyOf(callee) ?? "")) return true;
  // With an encoding it reads a string.
  return BYTES.test(calleeOf(path)) && (!/readFile/.test(calleeOf(path)) || path.node.arguments.length === 1);
}

/** A CAR file: the incumbent refuses other names. */
export const toCar = accept("whether its name ends in .car is not certain, and keeplight accepts any name", (path) => {
  const value = path && resolve(path);
  const last = value?.isCallExpression() ? (value.get("arguments").at(-1) as Path | undefined) : value;
  const end = last?.isTemplateLiteral() ? last.node.quasis.at(-1)?.value.cooked : stringOf(last);
  return /\.car$/i.test(end ?? "") && {};
});

/** A name that has the incumbent's default, not the kit's. */
export const toFileName = accept('its name is computed: an empty one is refused, and none is "text.txt"', (path) => {
  const value = path && resolve(path);
  if (stringOf(value) || (value?.isTemplateLiteral() && stringOf(value) !== "")) return {};
  return path && isPlain(path) && { suffix: ' || "text"' };
});

/** An argument without a meaning to the kit: left out if it is not computed, and has this value if one is required. */
export const toNothing = (reason: string, required?: string) =>
  accept(reason, (path) => {
    return (!path || (isPlain(path) && (required === undefined || stringOf(path) === required))) && "drop";
  });

/** Addresses: where types are checked, a list that is not empty. */
export const toAddresses = accept(
  "the type of its addresses allows an empty list: pass [first, ...others]",
  (path, { program }) => {
    const first = path?.isArrayExpression() ? (path.get("elements")[0] as Path | undefined) : undefined;
    return (!program.isTyped || path?.isStringLiteral() || (first && !first.isSpreadElement())) && {};
  },
);

/** Addresses that may be none to the incumbent, while the kit requires one. */
export const toShareTo = accept("its list of addresses may be empty, which keeplight refuses", (path) => {
  const elements = path?.isArrayExpression() ? path.node.elements : undefined;
  if (!path || elements?.length === 0) return "drop";
  return elements?.some((each) => each?.type !== "SpreadElement") && {};
});

/** Options of an upload: the version of the content ids, or an object of which the kit has these. */
export const toUploadOptions =
  (...names: readonly string[]): Converter =>
  (call, index): Converted => {
    const path = argumentOf(call, index);
    if (!path) return "drop";
    const hasVersion = names.includes("cidVersion");
    if (hasVersion && path.isNumericLiteral() && (path.node.value === 0 || path.node.value === 1)) return {};
    if (!path.isObjectExpression()) throw new ByHand("its options are made elsewhere", path);
    const properties: Path[] = path.get("properties");
    if (properties.length === 0) return "drop";
    const spread = properties.flatMap((property) => {
      const value = property.isObjectProperty() ? (property.get("value") as Path) : undefined;
      const key = keyOf(property);
      if (key === "cidVersion" && hasVersion && value?.isNumericLiteral()) return [];
      if (key === "onProgress" && names.includes(key) && value) return [{ property, ...wrapProgress(call, value) }];
      throw new ByHand(`its option ${key ?? "of another name"} works otherwise in keeplight`, property);
    });
    return { spread };
  };

/** A function that receives progress. The incumbent may ignore it beside options. */
export const toProgress: Converter = (call, index) => {
  const path = argumentOf(call, index);
  if (!path) return "drop";
  if (argumentOf(call, index - 1)?.isObjectExpression()) {
    throw new ByHand("its function for progress may be ignored beside options: name one in the options", path);
  }
  return wrapProgress(call, path);
};

/** Calls a function with progress as the incumbent reports it: from 0 to 100 in Node, from 0 to 1 in a page. */
function wrapProgress({ program: { runtime } }: Call, path: Path): { prefix: string; suffix: string } {
  if (!runtime) {
    const reason = "its progress is from 0 to 100 in Node and from 0 to 1 in a page; `fraction` is from 0 to 1";
    throw new ByHand(reason, path);
  }
  const isConstant = path.isIdentifier() && bindingOf(path)?.constant === true;
  if (!isConstant && !path.isFunction()) throw new ByHand("the function for its progress may change", path);
  const progress = runtime === "node" ? "fraction * 100" : "fraction";
  const [open, close] = isConstant ? ["", ""] : ["(", ")"];
  return { prefix: `({ fraction }) => ${open}`, suffix: `${close}({ progress: ${progress} })` };
}

/** Conditions that are written in this file, in the form that the kit accepts. */
export const toConditions: Converter = (call, index) => {
  for (const condition of listConditions(call, index)) checkCondition(condition);
  return {};
};

/** An aggregator; of a single condition it is ignored by the incumbent, and refused by the kit. */
export const toAggregator =
  (conditionsAt: number): Converter =>
  (call, index) => {
    const path = argumentOf(call, index);
    if (!path) return "drop";
    if (listConditions(call, conditionsAt).length > 1) return {};
    if (isPlain(path)) return "drop";
    throw new ByHand("an aggregator of a single condition is refused by keeplight", path);
  };

/** A kind of chain. */
export const toChainType = accept("its chain type is not certain", (path) => {
  const name = path && stringOf(path)?.toUpperCase();
  if (!path || name === "EVM") return "drop";
  return name === "SOLANA" && { text: 'chainType: "SOLANA"' };
});

function listConditions(call: Call, index: number): Path[] {
  const path = argumentOf(call, index);
  const find = (each: Path) => (call.program.isTyped ? each : resolve(each));
  const list = path && find(path);
  const conditions = (list?.isArrayExpression() ? (list.get("elements") as Path[]) : []).map(find);
  if (conditions.length > 0 && conditions.every((each) => each.isObjectExpression())) return conditions;
  throw new ByHand("its conditions are not written where they are passed, and keeplight checks more of them", path);
}

function checkCondition(condition: Path): void {
  const values = new Map<string, Path>();
  for (const property of condition.get("properties") as Path[]) {
    const key = property.isObjectProperty() ? keyOf(property) : undefined;
    if (key === undefined) throw new ByHand("a condition has properties from elsewhere", property);
    values.set(key, property.get("value") as Path);
  }
  const type = stringOf(values.get("standardContractType"));
  const id = values.get("id");
  if (!id?.isNumericLiteral()) throw new ByHand("the id of a condition has to be a number", id ?? condition);
  if (type === undefined) throw new ByHand("the type of a condition is not certain", condition);
  const extra = values.get("inputArrayType") ?? values.get("outputType");
  if (extra && type.toLowerCase() !== "custom") {
    throw new ByHand("types of arguments are for conditions of the type Custom: remove them", extra);
  }
  const pda = values.get("pdaInterface");
  const offset = pda?.isObjectExpression() ? pda.get("properties").find((each) => keyOf(each) === "offset") : undefined;
  if (offset && !(offset.get("value") as Path).isNumericLiteral()) {
    throw new ByHand("the offset of a condition has to be a number", offset);
  }
}

/** Whether shards are known to come from calls of which three recover the key. */
export const toShards = accept(
  "how many shards recover this key is not certain: kavachRecoverKey(shards, { threshold })",
  (path, call) => {
    const callee = path?.isCallExpression() ? (path.get("callee") as Path) : undefined;
    const maker = findMaker(call, isMember(callee) && keyOf(callee) === "slice" ? callee.get("object") : path);
    const threshold = maker && { generate: 0, shardKey: 1, recoverShards: 3 }[maker.name];
    const count = maker && threshold !== undefined ? argumentOf(maker, threshold) : undefined;
    return threshold !== undefined && (!count || count.isNumericLiteral({ value: 3 })) && {};
  },
);

/** The five shards of a key: where types are checked, those of a call that makes five. */
export const toFiveShards = accept("the type of its shards is not that of a list of five", (path, call) => {
  if (!path || (path.isArrayExpression() && path.node.elements.length === 0)) return "drop";
  if (!call.program.isTyped) return {};
  const maker = findMaker(call, path);
  const count = maker && argumentOf(maker, maker.name === "generate" ? 1 : 2);
  return maker && maker.name !== "recoverShards" && (!count || count.isNumericLiteral({ value: 5 })) && {};
});

/** Finds the call that made a list of shards. */
function findMaker(call: Call, list: Path | undefined): Call | undefined {
  const awaited = traceOrigin(list)?.origin;
  const source = awaited?.isAwaitExpression() ? inner(awaited.get("argument")) : undefined;
  return call.siblings.find(({ path, site }) => path === source && site.module.package === "kavach");
}

/** Refuses uses of recovered shards but recovering the key: the kit's have the node, too, and another order. */
export function checkShardUses({ path, siblings }: Call): void {
  const { value } = findOutcome(path);
  for (const read of value ? listUses(value) : []) {
    for (const use of read.name === "shards" ? listUses(read.value) : []) {
      const isRecovered = siblings.some((each) => each.path === around(use.path) && each.name === "recoverKey");
      if (use.name !== "length" && !isRecovered) {
        throw new ByHand("its shards are not only used to recover the key: keeplight's name their node", use.path);
      }
    }
  }
}

/** Refuses uses of a quote's files but their sizes: a kit's name is a path, and a type that is not known is `null`. */
export function checkQuoteUses({ path }: Call): void {
  const { value } = findOutcome(path);
  const read = (values: readonly Path[], name: RegExp) =>
    values.flatMap(listUses).flatMap((use) => (name.test(use.name ?? "") ? [use.value] : []));
  const lists = read(read(value ? [value] : [], /^data$/), /^metaData$/);
  for (const use of [...lists.flatMap(listUses), ...read(lists, /^\d+$/).flatMap(listUses)]) {
    if (/^(\d+|length|fileSize)$/.test(use.name ?? "") || isPrinted(use.path)) continue;
    throw new ByHand("keeplight's `metaData` has paths as names, and `null` as a type that is not known", use.path);
  }
}
