import type { Binding } from "@babel/traverse";
import { around, ByHand, dottedName, inner, isMember, keyOf, outer, type Path } from "./program.ts";
import type { Call } from "./sites.ts";

/** What a program does with a value. */
export interface Use {
  /** The property that is read; undefined if the value is used as a whole. */
  name: string | undefined;
  /** The member, the property of a pattern, or the whole value. */
  path: Path;
  /** What has the value that is read. */
  value: Path;
}

export function bindingOf(path: Path | undefined): Binding | undefined {
  return path?.isIdentifier() || path?.isJSXIdentifier() ? path.scope.getBinding(path.node.name) : undefined;
}

/** Returns what a constant is set to; of anything else itself. */
export function resolve(path: Path): Path {
  const binding = bindingOf(inner(path));
  if (!binding?.constant || !binding.path.isVariableDeclarator()) return inner(path);
  const init = binding.path.get("init");
  return binding.path.get("id").isIdentifier() && init.node ? inner(init as Path) : inner(path);
}

/** Lists what a program does with a value: of an expression, or of a pattern that it is assigned to. */
export function listUses(path: Path): Use[] {
  if (isPattern(path)) return listPatternUses(path);
  const parent = around(path);
  const { key } = outer(path);
  if (isMember(parent) && key === "object") {
    const property = parent.get("property") as Path;
    const index = parent.node.computed && property.isNumericLiteral() ? String(property.node.value) : undefined;
    const name = keyOf(parent) ?? index;
    return name === undefined || isChanged(parent) ? [whole(parent)] : [{ name, path: parent, value: outer(parent) }];
  }
  if (parent?.isVariableDeclarator() && key === "init") return listPatternUses(parent.get("id"));
  if (parent?.isAssignmentExpression({ operator: "=" }) && key === "right") return listAssignedUses(parent);
  return parent?.isExpressionStatement() ? [] : [whole(path)];
}

const whole = (path: Path): Use => ({ name: undefined, path, value: path });

function isPattern(path: Path): boolean {
  if (path.isPattern()) return true;
  const { key, listKey, parentPath } = path;
  if (listKey === "params" || (key === "id" && parentPath?.isVariableDeclarator())) return true;
  return key === "value" && parentPath?.parentPath?.isObjectPattern() === true;
}

function listPatternUses(pattern: Path): Use[] {
  if ("typeAnnotation" in pattern.node && pattern.node.typeAnnotation) return [whole(pattern)];
  if (pattern.isIdentifier()) {
    const binding = bindingOf(pattern);
    return binding?.constant ? binding.referencePaths.flatMap(listUses) : [whole(pattern)];
  }
  if (!pattern.isObjectPattern()) return [whole(pattern)];
  return pattern.get("properties").map((path): Use => {
    const value = path.isObjectProperty() && !path.node.computed ? (path.get("value") as Path) : path;
    const name = keyOf(path);
    const isPlain = value.isIdentifier() || value.isObjectPattern() || value.isArrayPattern();
    return isPlain && name !== undefined ? { name, path, value } : whole(path);
  });
}

/** A variable that is declared without a value and assigned once. */
function listAssignedUses(assignment: Path): Use[] {
  const binding = bindingOf(assignment.get("left") as Path);
  const declarator = binding?.path;
  const isPlain = declarator?.isVariableDeclarator() && !declarator.node.init && declarator.get("id").isIdentifier();
  const isStatement = assignment.parentPath?.isExpressionStatement();
  if (!binding || !isStatement || !isPlain || binding.identifier.typeAnnotation) return [whole(assignment)];
  return binding.constantViolations.length === 1 ? binding.referencePaths.flatMap(listUses) : [whole(assignment)];
}

/** Whether a property is assigned or deleted. */
function isChanged(member: Path): boolean {
  const { parentPath: parent, key } = member;
  if (parent?.isUpdateExpression() || parent?.isUnaryExpression({ operator: "delete" })) return true;
  if (parent?.isAssignmentExpression() || parent?.isForXStatement()) return key === "left";
  if (parent?.isArrayPattern() || parent?.isRestElement()) return true;
  return parent?.isObjectProperty() === true && parent.parentPath.isObjectPattern();
}

/** Whether a value is only printed, as it is. */
export function isPrinted(path: Path): boolean {
  const call = around(path);
  if (!call?.isCallExpression() || outer(path).listKey !== "arguments") return false;
  const name = dottedName(call.get("callee") as Path) ?? "";
  return /^console\.\w+$/.test(name) || (name === "JSON.stringify" && isPrinted(call));
}

/** Where the value of an expression comes from: an expression, and the properties that lead from it to the value. */
export function traceOrigin(expression: Path | undefined): { origin: Path; names: string[] } | undefined {
  const names: string[] = [];
  for (let path = expression && inner(expression); path; ) {
    if (isMember(path)) {
      const name = keyOf(path);
      if (name === undefined) return undefined;
      names.unshift(name);
      path = inner(path.get("object"));
    } else if (path.isIdentifier()) {
      const binding = bindingOf(path);
      const declarator = binding?.path;
      if (!binding?.constant || !declarator?.isVariableDeclarator() || !declarator.node.init) return undefined;
      const steps = findInPattern(declarator.get("id"), binding);
      if (!steps) return undefined;
      names.unshift(...steps);
      path = inner(declarator.get("init") as Path);
    } else {
      return { origin: path, names };
    }
  }
  return undefined;
}

/** Returns the properties that lead to an identifier of a pattern. */
function findInPattern(pattern: Path, binding: Binding): string[] | undefined {
  if (pattern.node === binding.identifier) return [];
  if (!pattern.isObjectPattern()) return undefined;
  for (const property of pattern.get("properties")) {
    const name = keyOf(property);
    const steps = property.isObjectProperty() ? findInPattern(property.get("value") as Path, binding) : undefined;
    if (steps && name !== undefined) return [name, ...steps];
  }
  return undefined;
}

/** What a program does with the promise that a call returns. */
export interface Outcome {
  /** What receives the result; undefined if nothing does. */
  value: Path | undefined;
  /** A function of the console that the result is passed to. */
  printer?: Path;
  /** Functions that receive what the call throws. */
  handlers: Path[];
}

/** Finds what receives the result of a call, and what receives its error. */
export function findOutcome(call: Path): Outcome {
  const parent = around(call);
  if (parent?.isAwaitExpression()) {
    const next = around(parent);
    const value = next?.isVariableDeclarator() ? next.get("id") : outer(parent);
    return { value: isDropped(next) ? undefined : (value as Path), handlers: findCatchClauses(parent) };
  }
  if (isDropped(parent)) return { value: undefined, handlers: [] };
  const then = isMember(parent) && keyOf(parent) === "then" ? parent.parentPath : undefined;
  if (!then?.isCallExpression() || then.get("callee") !== parent) {
    const reason = "its promise is passed on, with the result in `data` or with an `error`: await it here";
    throw new ByHand(reason, outer(call));
  }
  const [onResult, onError] = then.get("arguments").map((each) => each as Path);
  const handlers = [...(onError ? [onError] : []), ...listHandlers(then)].map(findFunction);
  if (onResult && /^console\.\w+$/.test(dottedName(inner(onResult)) ?? "")) {
    return { value: undefined, printer: onResult, handlers };
  }
  return { value: onResult && findParameter(findFunction(onResult, 1), then), handlers };
}

function isDropped(parent: Path | null): boolean {
  return parent?.isExpressionStatement() === true || parent?.isUnaryExpression({ operator: "void" }) === true;
}

function findParameter(onResult: Path, then: Path): Path | undefined {
  if (!onResult.isFunction()) throw new ByHand("its result is passed to a function that is made elsewhere", then);
  const [parameter, ...others] = onResult.get("params") as Path[];
  const isPlain = !parameter || parameter.isIdentifier() || parameter.isObjectPattern();
  if (!isPlain || others.length > 0) throw new ByHand("its result is passed to several parameters", onResult);
  if (!onResult.isArrowFunctionExpression() && /\barguments\b/.test(onResult.toString())) {
    throw new ByHand("its result may be read from `arguments`", onResult);
  }
  return parameter;
}

/** Returns the function that an expression is, or is the name of, if it has no more references than `most`. */
function findFunction(path: Path, most = Number.POSITIVE_INFINITY): Path {
  const binding = bindingOf(inner(path));
  if (!binding || binding.referencePaths.length > most) return inner(path);
  return binding.constant && binding.path.isFunctionDeclaration() ? binding.path : resolve(path);
}

/** Lists the functions that handle what a chain of promises throws. */
function listHandlers(promise: Path): Path[] {
  const member = around(promise);
  const next = member?.parentPath;
  if (!isMember(member) || !next?.isCallExpression() || next.get("callee") !== member) {
    return member?.isAwaitExpression() ? findCatchClauses(member) : [];
  }
  const [first, second] = next.get("arguments") as Path[];
  const handler = keyOf(member) === "catch" ? first : keyOf(member) === "then" ? second : undefined;
  return [...(handler ? [handler] : []), ...listHandlers(next)];
}

/** Lists the `catch` clauses around an expression, within its function. */
function findCatchClauses(path: Path): Path[] {
  const clauses: Path[] = [];
  for (let at: Path | null = path; at && !at.isFunction(); at = at.parentPath) {
    const handler = at.key === "block" && at.parentPath?.isTryStatement() ? at.parentPath.get("handler") : undefined;
    if (handler?.node) clauses.push(handler as Path);
  }
  return clauses;
}

/** The use by which a program tests whether a value is there: in a condition, or by comparing it. */
export function findTest(value: Path): Path | undefined {
  return listUses(value)
    .flatMap(({ name, path }) => (name === undefined ? [path] : isMember(path) ? [path.get("object")] : []))
    .find(isTest);
}

function isTest(path: Path): boolean {
  const { parent, parentPath, key } = outer(path);
  if (parentPath?.isUnaryExpression()) return /^(!|typeof)$/.test(parentPath.node.operator);
  if (parentPath?.isOptionalMemberExpression()) return parentPath.node.optional;
  if (parentPath?.isBinaryExpression()) {
    // What a failed call has in place of a value.
    const sides = [parentPath.get("left") as Path, parentPath.get("right")];
    return sides.some((side) => side.isNullLiteral() || side.isIdentifier({ name: "undefined" }));
  }
  return parent.type === "LogicalExpression" || key === "test" || key === "discriminant";
}

/** What a program does with a decrypted file: as bytes, as a `Blob`, or what works with both. */
type Form = "bytes" | "blob" | "both";

/**
 * Finds out whether a program uses a decrypted file as bytes, as it is in Node, or as a `Blob`, as it is in a page; throws
 * `ByHand` if that is not certain.
 */
export function findForm({ path }: Call): "bytes" | "blob" {
  const { value } = findOutcome(path);
  const forms = new Set(
    (value ? listUses(value) : []).map((use): Form => {
      const form = use.name === undefined ? formOfUse(use.path) : formOfMember(use.name);
      if (form) return form;
      const reason = "its result is an ArrayBuffer in Node and a Blob in a page; keeplight returns a Uint8Array";
      throw new ByHand(reason, use.path);
    }),
  );
  if (forms.has("bytes") && forms.has("blob")) throw new ByHand("its result is used as bytes and as a Blob");
  return forms.has("blob") ? "blob" : "bytes";
}

function formOfMember(name: string): Form | undefined {
  if (name === "byteLength") return "bytes";
  return /^(text|arrayBuffer|size|stream)$/.test(name) ? "blob" : undefined;
}

function formOfUse(path: Path): Form | undefined {
  if (isPrinted(path)) return "both";
  const parent = around(path);
  const made = parent?.isArrayExpression() ? around(parent) : parent;
  if (!made?.isCallExpression() && !made?.isNewExpression()) return undefined;
  const callee = made.get("callee") as Path;
  const name = dottedName(callee) ?? "";
  if (parent?.isArrayExpression()) return made.isNewExpression() && /^(Blob|File)$/.test(name) ? "both" : undefined;
  if (made.node.arguments.length !== 1 || outer(path).listKey !== "arguments") return undefined;
  if (made.isNewExpression()) return name === "Uint8Array" ? "bytes" : undefined;
  if (/^((window\.)?URL\.createObjectURL|\w+\.readAs(Text|DataURL|ArrayBuffer))$/.test(name)) return "blob";
  return name === "Buffer.from" || (isMember(callee) && keyOf(callee) === "decode") ? "bytes" : undefined;
}
