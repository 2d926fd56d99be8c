import { invalidCondition } from "../errors/condition.ts";

/** What an aggregator says: the conditions named by their ids, and how they are joined. */
export type AggregatorRule =
  | { kind: "condition"; id: number }
  | { kind: "not"; rule: AggregatorRule }
  | { kind: "and" | "or"; rules: readonly AggregatorRule[] };

const MAX_DEPTH = 100;

/** A token of the aggregator; `at` is its place in the text, from 1. */
interface Token {
  text: string;
  at: number;
}

/**
 * The rule that joins conditions with these ids. With one condition it may be left out (undefined, null
 * or blank).
 *
 * The grammar, from the loosest to the tightest:
 *
 *     or        = and { "or" and }
 *     and       = not { "and" not }
 *     not       = "!" not | "(" or ")" | condition
 *     condition = "[" id "]"
 *
 * so `[1] or [2] and [3]` is `[1] or ([2] and [3])`. `and` and `or` are taken in any case and need spaces
 * around them; elsewhere, except within `[1]`, spaces are free.
 *
 * @throws `INVALID_CONDITION` for anything else, for an id that no condition has, and for a condition that
 * is not mentioned: it would be kept without any effect
 */
export function checkAggregator(
  aggregator: unknown,
  ids: readonly number[],
): { aggregator: string | undefined; rule: AggregatorRule } {
  const text = aggregator ?? "";
  if (typeof text !== "string") throw wrong("must be a text");
  const [onlyId] = ids;
  if (text.trim() === "") {
    if (ids.length === 1 && onlyId !== undefined)
      return { aggregator: undefined, rule: { kind: "condition", id: onlyId } };
    throw wrong("is required with more than one condition, such as ([1] and [2])");
  }
  if (ids.length > 1 && !/ and | or /i.test(text)) throw wrong("must contain ' and ' or ' or '");
  const rule = parse(tokenize(text), new Map(ids.map((id) => [String(id), id])));
  const mentioned = new Set(collectIds(rule));
  const forgotten = ids.find((id) => !mentioned.has(id));
  if (forgotten !== undefined) throw wrong(`must mention every condition, and does not mention [${forgotten}]`);
  return { aggregator: text, rule };
}

/**
 * Whether the rule holds, given whether each condition does; undefined where that cannot be told. An
 * unknown condition does not matter where the known ones decide.
 */
export function ruleHolds(rule: AggregatorRule, holds: (id: number) => boolean | undefined): boolean | undefined {
  if (rule.kind === "condition") return holds(rule.id);
  if (rule.kind === "not") {
    const inner = ruleHolds(rule.rule, holds);
    return inner === undefined ? undefined : !inner;
  }
  const decisive = rule.kind === "or";
  const parts = rule.rules.map((part) => ruleHolds(part, holds));
  if (parts.includes(decisive)) return decisive;
  return parts.includes(undefined) ? undefined : !decisive;
}

function collectIds(rule: AggregatorRule): number[] {
  if (rule.kind === "condition") return [rule.id];
  return rule.kind === "not" ? collectIds(rule.rule) : rule.rules.flatMap(collectIds);
}

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  const token = /\s+|\[[^\]]*\]?|[a-z]+|./giu;
  for (const match of text.matchAll(token)) {
    const [found] = match;
    if (found.trim() === "") continue;
    const end = match.index + found.length;
    tokens.push({ text: found, at: match.index + 1 });
    if (/^(and|or)$/i.test(found) && /\S/.test(text.charAt(match.index - 1) + text.charAt(end))) {
      throw wrong(`must have spaces around "${found}" at character ${match.index + 1}`);
    }
  }
  return tokens;
}

function parse(tokens: readonly Token[], ids: ReadonlyMap<string, number>): AggregatorRule {
  let next = 0;
  let depth = 0;
  const takes = (word: string): boolean => {
    const taken = tokens[next]?.text.toLowerCase() === word;
    if (taken) next++;
    return taken;
  };

  function joined(kind: "and" | "or", part: () => AggregatorRule): AggregatorRule {
    const first = part();
    const rules = [first];
    while (takes(kind)) rules.push(part());
    return rules.length === 1 ? first : { kind, rules };
  }

  function nested(open: Token, inner: () => AggregatorRule): AggregatorRule {
    if (++depth > MAX_DEPTH) throw wrong(`must not be nested more than ${MAX_DEPTH} deep, as at ${place(open)}`);
    const rule = inner();
    depth--;
    return rule;
  }

  function not(): AggregatorRule {
    const token = tokens[next];
    if (token && takes("!")) return nested(token, () => ({ kind: "not", rule: not() }));
    if (token && takes("(")) {
      const rule = nested(token, or);
      if (takes(")")) return rule;
      const stray = tokens[next];
      if (stray) throw wrong(`must have "and", "or" or ")" before ${place(stray)}`);
      throw wrong(`has a bracket that is not closed: ${place(token)}`);
    }
    return condition(token);
  }

  function condition(token: Token | undefined): AggregatorRule {
    if (!token) throw wrong("ends where a condition such as [1] is expected");
    const id = /^\[([0-9]+(?:\.[0-9]+)?)\]$/.exec(token.text)?.[1];
    if (id === undefined) {
      const open = token.text.startsWith("[") && !token.text.endsWith("]");
      throw wrong(
        open
          ? `has a bracket that is not closed: ${place(token)}`
          : `must have a condition such as [1] in place of ${place(token)}`,
      );
    }
    const known = ids.get(id);
    if (known === undefined) throw wrong(`names [${id}], and no condition has the id ${id}`);
    next++;
    return { kind: "condition", id: known };
  }

  const and = (): AggregatorRule => joined("and", not);
  const or = (): AggregatorRule => joined("or", and);

  const rule = or();
  const left = tokens[next];
  if (!left) return rule;
  if (left.text === ")") throw wrong(`has a bracket that was not opened: ${place(left)}`);
  throw wrong(`must have "and" or "or" before ${place(left)}`);
}

function place({ text, at }: Token): string {
  return `${JSON.stringify(text)} at character ${at}`;
}

function wrong(expected: string): Error {
  return invalidCondition([{ field: "aggregator", expected }]);
}
