/** Whether something holds; undefined if unknown. */
export type Truth = boolean | undefined;

/**
 * Evaluates an aggregator by rewriting its string from the innermost brackets outwards until one digit is left: 0 for
 * no, 1 for unknown, 2 for yes. "and" is the minimum of its parts, "or" the maximum, and "not" the difference to 2
 * (Kleene, "Introduction to Metamathematics", § 64). The string has to be a rule.
 */
export function evaluate(aggregator: string, holds: (id: number) => Truth): Truth {
  let text = aggregator
    .replaceAll(/\[(\d+)\]/g, (_, id: string) => String(toDigit(holds(Number(id)))))
    .replaceAll(/and/gi, "&")
    .replaceAll(/or/gi, "|")
    .replaceAll(/\s/g, "");
  while (text.includes("(")) text = text.replace(/\(([^()]*)\)/, (_, inner: string) => String(evaluateFlat(inner)));
  return [false, undefined, true][evaluateFlat(text)];
}

function toDigit(truth: Truth): number {
  return truth === undefined ? 1 : 2 * Number(truth);
}

/** Evaluates a string without brackets: "!" before "&" before "|". */
function evaluateFlat(text: string): number {
  const evaluateLiteral = (part: string) => (part.length % 2 === 1 ? Number(part.at(-1)) : 2 - Number(part.at(-1)));
  return Math.max(...text.split("|").map((all) => Math.min(...all.split("&").map(evaluateLiteral))));
}

/**
 * Whether a string is a rule over conditions with these ids: it can be rewritten to a single condition, its operators
 * are surrounded by spaces, it names every condition and no other, and with several of them it has ' and ' or ' or '.
 */
export function isRule(aggregator: string, ids: readonly number[]): boolean {
  const token = /\[[0-9]+\]|[()!]|\s|(?<=\s)(?:and|or)(?=\s)/gi;
  if (aggregator.replaceAll(token, "") !== "") return false;
  const named = new Set([...aggregator.matchAll(/\[([0-9]+)\]/g)].map(([, id]) => id));
  if (named.size !== ids.length || !ids.every((id) => named.has(String(id)))) return false;
  if (ids.length > 1 && !/ (and|or) /i.test(aggregator)) return false;
  let text = aggregator
    .replaceAll(/\[[0-9]+\]/g, "c")
    .replaceAll(/and|or/gi, "&")
    .replaceAll(/\s/g, "");
  for (;;) {
    const shorter = text.replaceAll(/!c|\(c\)|c&c/g, "c");
    if (shorter === text) return text === "c";
    text = shorter;
  }
}
