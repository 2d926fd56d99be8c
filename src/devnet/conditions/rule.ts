import { Refusal } from "../http/json.ts";

/** Whether a condition holds; `undefined` where it cannot be told. */
export type Truth = boolean | undefined;

/** An aggregator ready for use: whether all of it holds, given whether each condition does. */
export type Rule = (holds: (id: number) => Truth) => Truth;

const DEEPEST = 64;

/**
 * Reads an aggregator such as `([1] and [2]) or ![3]`. `!` binds tightest, then `and`, then `or`; both
 * words in any case. What cannot be told stays so unless the rest decides by itself, and never turns into
 * a yes by `!`.
 *
 * @throws Refusal 400 for anything else, and for an id that is not among `ids`.
 */
export function readRule(aggregator: string, ids: ReadonlySet<number>): Rule {
  const words = aggregator.match(/\[\s*\d+\s*\]|[()!]|[a-z]+|\S/gi) ?? [];
  let at = 0;
  const take = (word: string): boolean => {
    if (words[at]?.toLowerCase() !== word) return false;
    at++;
    return true;
  };

  const either = (depth: number): Rule => {
    const parts = [both(depth)];
    while (take("or")) parts.push(both(depth));
    return joined(parts, true);
  };
  const both = (depth: number): Rule => {
    const parts = [one(depth)];
    while (take("and")) parts.push(one(depth));
    return joined(parts, false);
  };
  const one = (depth: number): Rule => {
    if (depth > DEEPEST) throw refusal("is nested too deeply");
    if (take("!")) {
      const inner = one(depth + 1);
      return (holds) => negated(inner(holds));
    }
    if (take("(")) {
      const inner = either(depth + 1);
      if (!take(")")) throw refusal("has unbalanced brackets");
      return inner;
    }
    const id = Number(/^\[\s*(\d+)\s*\]$/.exec(words[at] ?? "")?.[1]);
    if (Number.isNaN(id)) throw refusal(at < words.length ? `is malformed at "${words[at]}"` : "is incomplete");
    if (!ids.has(id)) throw refusal(`names [${id}], which is no condition`);
    at++;
    return (holds) => holds(id);
  };

  const rule = either(0);
  if (words[at] === ")") throw refusal("has unbalanced brackets");
  if (at < words.length) throw refusal(`is malformed at "${words[at]}"`);
  return rule;
}

/** Of several parts, one that is `decisive` decides. */
function joined(parts: readonly Rule[], decisive: boolean): Rule {
  return (holds) => {
    const truths = parts.map((part) => part(holds));
    if (truths.includes(decisive)) return decisive;
    return truths.includes(undefined) ? undefined : !decisive;
  };
}

function negated(truth: Truth): Truth {
  return truth === undefined ? undefined : !truth;
}

function refusal(detail: string): Refusal {
  return new Refusal(400, `aggregator ${detail}`);
}
