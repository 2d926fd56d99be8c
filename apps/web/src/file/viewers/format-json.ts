/** Deeper nesting would take more space for its indentation than for its content. */
const MAX_DEPTH = 100;

/** Indents JSON by tokens: numbers keep their digits. What is no JSON, or nested deeply, stays as it is. */
export function formatJson(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  let depth = 0;
  const lines: string[] = [""];
  const append = (token: string) => {
    lines[lines.length - 1] += token;
  };
  const breakLine = () => lines.push("  ".repeat(depth));
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? [];
  for (const [at, token] of tokens.entries()) {
    const isClosing = token === "}" || token === "]";
    const previous = tokens[at - 1];
    const isEmpty = isClosing && (previous === "{" || previous === "[");
    if (isClosing) {
      depth--;
      if (!isEmpty) breakLine();
    } else if (previous === "{" || previous === "[") breakLine();
    append(token === ":" ? ": " : token);
    if (token === "{" || token === "[") depth++;
    else if (token === ",") breakLine();
    if (depth > MAX_DEPTH) return text;
  }
  return lines.join("\n");
}
