import type * as t from "@babel/types";
import { isPlain } from "./arguments.ts";
import { refuseDecisions } from "./handlers.ts";
import {
  around,
  ByHand,
  continuesStatement,
  dottedName,
  type Edits,
  endOf,
  inner,
  isMember,
  outer,
  type Path,
  type Program,
  refuseComments,
  startOf,
  textOf,
} from "./program.ts";
import type { ResultRule } from "./rule.ts";
import type { Call } from "./sites.ts";
import { bindingOf, findOutcome, findTest, isPrinted, listUses, type Use } from "./values.ts";

/** Changes what a program does with the result of a call to what the kit returns; throws `ByHand`. */
export function rewriteResult(call: Call, rule: ResultRule, edits: Edits): void {
  if (rule.same) return;
  const { program } = call;
  const { value, printer, handlers } = findOutcome(call.path);
  refuseDecisions(handlers);
  rule.check?.(call);
  if (!value && (rule.failures || (rule.mayFail && !printer))) {
    throw new ByHand("its failure is returned and ignored here: keeplight throws it");
  }
  if (printer && rule.first) {
    const text = textOf(program, printer);
    edits.replace(startOf(printer), endOf(printer), `([stored]) => ${text}(stored)`);
  }
  if (!value) return;
  if (rule.unread) {
    const read = listUses(value).find((use) => use.name !== undefined || !isPrinted(use.path));
    if (!read) return;
    throw new ByHand("its result, which repeats the arguments, is read: keeplight returns `nodesDone`", read.path);
  }
  const ignored = rule.failures ? removeFailureCheck(call, value, rule.failures, edits) : [];
  const { path = ["data"] } = rule;
  let values = [value];
  for (const step of path) values = values.flatMap((each) => strip(program, each, step, edits));
  for (const each of values) checkFields(program, each, rule, edits, ignored);
  if (rule.first) takeFirst(program, value, edits);
  const awaited = call.path.parentPath;
  if (rule.within) {
    edits.before(startOf(awaited), rule.within[0]);
    edits.after(endOf(awaited), rule.within[1]);
  }
}

/** Removes a property that leads to the kit's result, wherever it is read. What is printed has it no longer. */
function strip(program: Program, value: Path, name: string, edits: Edits): Path[] {
  return listUses(value).flatMap((use) => {
    const { path } = use;
    if (use.name === undefined && isPrinted(path)) return [];
    if (use.name === undefined) throw new ByHand(`its whole result is passed on, with \`${name}\` in it`, path);
    if (use.name !== name) throw new ByHand(`\`${use.name}\` of its result is read`, path);
    const isRead = isMember(path);
    const pattern = isRead ? path : (path.parentPath as Path);
    if (!isRead && (pattern.node as t.ObjectPattern).properties.length > 1) {
      throw new ByHand(`more than \`${name}\` of its result is read`, pattern);
    }
    const kept = isRead ? path.get("object") : use.value;
    edits.removeCode(program, startOf(pattern), startOf(kept));
    edits.removeCode(program, endOf(kept), endOf(pattern));
    return [use.value];
  });
}

/** Checks what is read of the kit's result, and renames what has another name there. */
function checkFields(program: Program, value: Path, rule: ResultRule, edits: Edits, ignored: readonly Path[]): void {
  refuseTest(value, rule);
  for (const use of listUses(value)) {
    if (ignored.includes(use.path)) continue;
    if (use.name === undefined) {
      if (isPrinted(use.path) && !rule.failures) continue;
      if (rule.fields) {
        throw new ByHand("its result is passed on as a whole, and keeplight's has other properties", use.path);
      }
      refuseType(program, use.path, rule, undefined);
    } else if (/^\d+$/.test(use.name)) {
      checkFields(program, use.value, rule, edits, []);
    } else {
      rename(use, use.name, rule, edits);
      if (rule.failures) refuseTest(use.value, rule);
      const reads = isMember(use.path) ? [use.path] : listUses(use.value).map(({ path }) => path);
      for (const each of reads) refuseType(program, each, rule, use.name);
    }
  }
}

function rename({ path }: Use, from: string, { fields }: ResultRule, edits: Edits): void {
  const to = fields && (Object.hasOwn(fields, from) ? fields[from] : undefined);
  if (!fields || to === from) return;
  if (to === undefined) throw new ByHand(`keeplight's result has no \`${from}\``, path);
  const { computed, shorthand } = path.node as { computed?: boolean; shorthand?: boolean };
  if (computed) throw new ByHand(`\`${from}\` is named ${to} by keeplight`, path);
  const key = path.get(isMember(path) ? "property" : "key") as Path;
  if (shorthand) edits.before(startOf(path), `${to}: `);
  else edits.replace(startOf(key), endOf(key), to);
}

function refuseTest(value: Path, { mayFail, failures }: ResultRule): void {
  const test = mayFail || failures ? findTest(value) : undefined;
  if (test) throw new ByHand("a failure is found by testing the result: keeplight throws instead", test);
}

/** Where types are checked, a type that the kit leaves wider may make the program fail to compile. */
function refuseType(program: Program, path: Path, { sameTypes = [] }: ResultRule, name: string | undefined): void {
  const isSame = sameTypes === "all" || (name !== undefined && sameTypes.includes(name));
  if (!program.isTyped || isSame || isTypeIgnored(path)) return;
  const what = name === undefined ? "its result" : `\`${name}\` of its result`;
  throw new ByHand(`${what} has another type in keeplight, where a value may be missing`, path);
}

const TAKE_ANYTHING = /^(console\.\w+|Number|String|Boolean|JSON\.stringify|expect|assert(\.\w+)?)$/;

/** Whether the type of an expression is of no consequence to the code around it. */
function isTypeIgnored(path: Path): boolean {
  const parent = around(path);
  if (parent?.isCallExpression()) {
    return outer(path).listKey === "arguments" && TAKE_ANYTHING.test(dottedName(parent.get("callee") as Path) ?? "");
  }
  if (parent?.isObjectProperty() || parent?.isObjectExpression() || parent?.isArrayExpression()) {
    return isTypeIgnored(parent);
  }
  return parent?.isTemplateLiteral() === true || parent?.isExpressionStatement() === true;
}

/** The kit returns a list: its first item is what the incumbent returned. */
function takeFirst({ text }: Program, value: Path, edits: Edits): void {
  const isParameter = value.listKey === "params";
  if (!isParameter && value.key !== "id") {
    const hasParentheses = value.isParenthesizedExpression();
    if (!hasParentheses) edits.before(startOf(value), "(");
    edits.after(endOf(value), hasParentheses ? "[0]" : ")[0]");
    return;
  }
  const isBare = isParameter && !text.slice(value.parent.start ?? 0, startOf(value)).includes("(");
  edits.after(startOf(value), isBare ? "([" : "[");
  edits.before(endOf(value), isBare ? "])" : "]");
}

const HINT = "its failure is returned: keeplight throws it";

/**
 * Removes the check of a failure that is thrown at once: `const { error } = await call(); if (error) throw error;`.
 * Throws `ByHand` if a failure is read otherwise.
 *
 * @returns the properties of the pattern that are removed
 */
function removeFailureCheck(call: Call, pattern: Path, failures: readonly string[], edits: Edits): Path[] {
  const { program } = call;
  const reads = listUses(pattern).filter(({ name }) => name !== undefined && failures.includes(name));
  const [first] = reads;
  if (!first) return [];
  const declaration = pattern.parentPath?.parentPath;
  if (!pattern.isObjectPattern() || !declaration?.isVariableDeclaration()) throw new ByHand(HINT, first.path);
  const check: Path = declaration.getNextSibling();
  const names: Names = new Map();
  for (const { path, value, name = "" } of reads) {
    const binding = bindingOf(value);
    if (!binding?.constant || !binding.referencePaths.every((each) => check.node && each.isDescendant(check))) {
      throw new ByHand(HINT, path);
    }
    if (binding.referencePaths.length > 0) names.set(binding.identifier.name, name);
  }
  if (names.size > 0) {
    if (!isThrown(check, names)) throw new ByHand(HINT, check);
    edits.removeCode(program, endOf(declaration), endOf(check));
    // Without the check between them, the next statement might continue this one.
    const isEnded = textOf(program, declaration).endsWith(";");
    if (!isEnded && continuesStatement(program.text.slice(endOf(check)))) edits.after(endOf(declaration), ";");
  }
  const properties: Path[] = pattern.get("properties");
  const removed = reads.map(({ path }) => path);
  const kept = properties.filter((property) => !removed.includes(property));
  refuseComments(program, startOf(pattern), endOf(pattern));
  if (kept.length === 0) {
    const [declarator, ...others] = declaration.get("declarations");
    if (others.length > 0 || !declarator) throw new ByHand("several variables are declared at once", declaration);
    refuseComments(program, startOf(declaration), startOf(call.path));
    edits.remove(startOf(declaration), startOf(declarator.get("init") as Path));
  }
  for (const property of kept.length > 0 ? removed : []) {
    const isFollowed = kept.some((each) => startOf(each) > startOf(property));
    const previous = kept.findLast((each) => startOf(each) < startOf(property));
    const following = properties[properties.indexOf(property) + 1];
    if (isFollowed && following) edits.remove(startOf(property), startOf(following));
    else if (previous) edits.remove(endOf(previous), endOf(property));
  }
  return removed;
}

/** Names of the properties that variables hold. */
type Names = Map<string, string>;

/** Whether a statement throws if and only if there is a failure, and does nothing else. */
function isThrown(statement: Path, names: Names): boolean {
  if (!statement.isIfStatement() || statement.node.alternate) return false;
  const consequent = statement.get("consequent");
  const [thrown, ...others]: Path[] = consequent.isBlockStatement() ? consequent.get("body") : [consequent];
  if (!thrown?.isThrowStatement() || others.length > 0) return false;
  return isPlainError(inner(thrown.get("argument")), names) && isFailure(statement.get("test"), names);
}

/** `error`, or `new Error(…)`: handlers may tell any other value from the error that the kit throws. */
function isPlainError(thrown: Path, names: Names): boolean {
  if (!thrown.isNewExpression()) return isRead(thrown, names, /^error$/);
  const callee = thrown.get("callee") as Path;
  const isBuiltIn = callee.isIdentifier({ name: "Error" }) && !bindingOf(callee);
  return isBuiltIn && thrown.get("arguments").every((each) => isPlain(each as Path));
}

function isRead(path: Path, names: Names, pattern: RegExp): boolean {
  return pattern.test(names.get(dottedName(inner(path)) ?? "") ?? "");
}

function isFailure(expression: Path, names: Names): boolean {
  const test = inner(expression);
  if (test.isLogicalExpression({ operator: "||" })) {
    return isFailure(test.get("left"), names) && isFailure(test.get("right"), names);
  }
  if (test.isUnaryExpression({ operator: "!" })) return isRead(test.get("argument"), names, /^is[A-Z]/);
  if (test.isBinaryExpression()) {
    const isCompared = /^!==?$/.test(test.node.operator) && test.get("right").isNullLiteral();
    return isCompared && isRead(test.get("left") as Path, names, /^error$/);
  }
  return isRead(test, names, /^error$/);
}
