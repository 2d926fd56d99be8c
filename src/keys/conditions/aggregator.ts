import { invalidCondition } from "./fields.ts";

/** A parsed aggregator: the conditions by their ids, and how they are combined. */
export type AggregatorRule =
  | { kind: "condition"; id: number }
  | { kind: "not"; rule: AggregatorRule }
  | { kind: "and" | "or"; rules: readonly AggregatorRule[] };

const MAX_DEPTH = 100;

/** A token of the aggregator; `at` is its position in the string, from 1. */
interface Token {
  text: string;
  at: number;
}

/**
 * Parses the rule that combines conditions with these ids. It is optional (undefined, null or blank) for a single
 * condition.
 *
 * The grammar, by rising precedence:
 *
 *     or        = and { "or" and }
 *     and       = not { "and" not }
 *     not       = "!" not | "(" or ")" | condition
 *     condition = "[" id "]"
 *
 * so `[1] or [2] and [3]` is `[1] or ([2] and [3])`. `and` and `or` are case-insensitive and need spaces around them;
 * elsewhere, except within `[1]`, spaces are optional.
 *
 * @throws `INVALID_CONDITION` for anything else, for an id that no condition has, and for a condition that is not
 * mentioned: it would be stored without any effect
 */
export function checkAggregator(
  aggregator: unknown,
  ids: readonly number[],
): { aggregator: string | undefined; rule: AggregatorRule } {
  const text = aggregator ?? "";
  if (typeof text !== "string") throw wrong("must be a string");
  if (text.trim() === "") {
    const [id, ...others] = ids;
    if (id !== undefined && others.length === 0) return { aggregator: undefined, rule: { kind: "condition", id } };
    throw wrong("is required with more than one condition, such as ([1] and [2])");
  }
  if (ids.length > 1 && !/ and | or /i.test(text)) throw wrong("must contain ' and ' or ' or '");
  const { rule, mentioned } = parse(tokenize(text), ids);
  const forgotten = ids.find((id) => !mentioned.has(id));
  if (forgotten !== undefined) throw wrong(`must mention every condition, and does not mention [${forgotten}]`);
  return { aggregator: text, rule };
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

/** Parses all tokens; `mentioned` are the ids in them. */
function parse(tokens: readonly Token[], ids: readonly number[]): { rule: AggregatorRule; mentioned: Set<number> } {
  const mentioned = new Set<number>();
  let next = 0;
  const accept = (text: string): boolean => {
    const isNext = tokens[next]?.text.toLowerCase() === text;
    if (isNext) next++;
    return isNext;
  };

  function parseJoined(kind: "and" | "or", parsePart: () => AggregatorRule): AggregatorRule {
    const first = parsePart();
    const rules = [first];
    while (accept(kind)) rules.push(parsePart());
    return rules.length === 1 ? first : { kind, rules };
  }

  function parseOr(depth: number): AggregatorRule {
    return parseJoined("or", () => parseJoined("and", () => parseNot(depth)));
  }

  function parseNot(depth: number): AggregatorRule {
    const token = tokens[next];
    const isNot = accept("!");
    if (!token || !(isNot || accept("("))) return parseCondition(token);
    if (depth === MAX_DEPTH) throw wrong(`must not be nested more than ${MAX_DEPTH} deep, as at ${locate(token)}`);
    if (isNot) return { kind: "not", rule: parseNot(depth + 1) };
    const rule = parseOr(depth + 1);
    if (accept(")")) return rule;
    const stray = tokens[next];
    if (stray) throw wrong(`must have "and", "or" or ")" before ${locate(stray)}`);
    throw wrong(`has a bracket that is not closed: ${locate(token)}`);
  }

  function parseCondition(token: Token | undefined): AggregatorRule {
    if (!token) throw wrong("ends where a condition such as [1] is expected");
    const id = /^\[([0-9]+(?:\.[0-9]+)?)\]$/.exec(token.text)?.[1];
    const isOpen = token.text.startsWith("[") && !token.text.endsWith("]");
    if (isOpen) throw wrong(`has a bracket that is not closed: ${locate(token)}`);
    if (id === undefined) throw wrong(`must have a condition such as [1] in place of ${locate(token)}`);
    const known = ids.find((one) => String(one) === id);
    if (known === undefined) throw wrong(`names [${id}], and no condition has the id ${id}`);
    next++;
    mentioned.add(known);
    return { kind: "condition", id: known };
  }

  const rule = parseOr(0);
  const rest = tokens[next];
  if (!rest) return { rule, mentioned };
  if (rest.text === ")") throw wrong(`has a bracket that was not opened: ${locate(rest)}`);
  throw wrong(`must have "and" or "or" before ${locate(rest)}`);
}

function locate({ text, at }: Token): string {
  return `${JSON.stringify(text)} at character ${at}`;
}

function wrong(expected: string): Error {
  return invalidCondition([{ field: "aggregator", expected }]);
}
