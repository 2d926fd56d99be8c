import { Refusal } from "../http/json.ts";

/** Whether a condition is met; `undefined` if unknown. */
export type Truth = boolean | undefined;

/** A parsed aggregator: maps the result of each condition to the result of the whole. */
export type Rule = (holds: (id: number) => Truth) => Truth;

const MAX_DEPTH = 64;

/**
 * Parses an aggregator such as `([1] and [2]) or ![3]`. `!` binds tightest, then `and`, then `or`, both
 * case-insensitive. An unknown condition makes the result unknown unless the others decide it, and `!` keeps it unknown.
 *
 * @throws Refusal 400 for a syntax error, and for an id that is not in `ids`.
 */
export function parseRule(aggregator: string, ids: ReadonlySet<number>): Rule {
  const tokens = aggregator.match(/\[\s*\d+\s*\]|[()!]|[a-z]+|\S/gi) ?? [];
  let at = 0;
  const accept = (token: string): boolean => {
    if (tokens[at]?.toLowerCase() !== token) return false;
    at++;
    return true;
  };

  const parseOr = (depth: number): Rule => {
    const operands = [parseAnd(depth)];
    while (accept("or")) operands.push(parseAnd(depth));
    return combine(operands, true);
  };
  const parseAnd = (depth: number): Rule => {
    const operands = [parseOperand(depth)];
    while (accept("and")) operands.push(parseOperand(depth));
    return combine(operands, false);
  };
  const parseOperand = (depth: number): Rule => {
    if (depth > MAX_DEPTH) throw refusal("is nested too deeply");
    if (accept("!")) {
      const inner = parseOperand(depth + 1);
      return (holds) => negate(inner(holds));
    }
    if (accept("(")) {
      const inner = parseOr(depth + 1);
      if (!accept(")")) throw refusal("has unbalanced brackets");
      return inner;
    }
    const id = Number(/^\[\s*(\d+)\s*\]$/.exec(tokens[at] ?? "")?.[1]);
    if (Number.isNaN(id)) throw refusal(at < tokens.length ? `is malformed at "${tokens[at]}"` : "is incomplete");
    if (!ids.has(id)) throw refusal(`names [${id}], which is no condition`);
    at++;
    return (holds) => holds(id);
  };

  const rule = parseOr(0);
  if (tokens[at] === ")") throw refusal("has unbalanced brackets");
  if (at < tokens.length) throw refusal(`is malformed at "${tokens[at]}"`);
  return rule;
}

/** Combines operands of which one that is `decisive` decides: `true` for `or`, `false` for `and`. */
function combine(operands: readonly Rule[], decisive: boolean): Rule {
  return (holds) => {
    const truths = operands.map((operand) => operand(holds));
    if (truths.includes(decisive)) return decisive;
    return truths.includes(undefined) ? undefined : !decisive;
  };
}

function negate(truth: Truth): Truth {
  return truth === undefined ? undefined : !truth;
}

function refusal(detail: string): Refusal {
  return new Refusal(400, `aggregator ${detail}`);
}
