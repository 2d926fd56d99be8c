/** One block of a Markdown text. */
export type Block =
  | { kind: "heading"; level: number; text: string }
  | { kind: "paragraph" | "quote" | "code"; text: string }
  | { kind: "list"; isOrdered: boolean; start: number; items: string[] }
  | { kind: "rule" };

const HEADING = /^(#{1,6})\s(.*)$/;
const RULE = /^ {0,3}([-*_])(\s*\1){2,}\s*$/;
const FENCE = /^ {0,3}(```+|~~~+)/;
const ITEM = /^\s{0,9}(?:[-*+]|(\d{1,9})[.)])\s+(.*)$/;
const QUOTE = /^ {0,3}>\s?(.*)$/;

/** Reads the usual blocks of Markdown. Everything else, such as HTML, is text. */
export function readMarkdown(source: string): Block[] {
  const lines = source.replaceAll("\r\n", "\n").split("\n");
  const blocks: Block[] = [];
  let paragraph: string[] = [];
  const endParagraph = () => {
    if (paragraph.length > 0) blocks.push({ kind: "paragraph", text: paragraph.join("\n") });
    paragraph = [];
  };
  /** Takes lines that match, from `at` on, and returns what the pattern captures. */
  const take = (at: number, pattern: RegExp): RegExpExecArray[] => {
    const found: RegExpExecArray[] = [];
    for (let next = pattern.exec(lines[at] ?? ""); next; next = pattern.exec(lines[at + found.length] ?? "")) {
      found.push(next);
    }
    return found;
  };

  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const fence = FENCE.exec(line)?.[1];
    const heading = HEADING.exec(line);
    if (fence) {
      endParagraph();
      let end = at + 1;
      while (end < lines.length && !lines[end]?.trim().startsWith(fence)) end++;
      blocks.push({ kind: "code", text: lines.slice(at + 1, end).join("\n") });
      at = end;
    } else if (heading) {
      endParagraph();
      blocks.push({ kind: "heading", level: heading[1]?.length ?? 1, text: heading[2]?.trim() ?? "" });
    } else if (RULE.test(line)) {
      endParagraph();
      blocks.push({ kind: "rule" });
    } else if (QUOTE.test(line)) {
      endParagraph();
      const quoted = take(at, QUOTE);
      blocks.push({ kind: "quote", text: quoted.map(([, text = ""]) => text).join("\n") });
      at += quoted.length - 1;
    } else if (ITEM.test(line)) {
      endParagraph();
      const items = take(at, ITEM);
      const number = items[0]?.[1];
      blocks.push({
        kind: "list",
        isOrdered: number !== undefined,
        start: Number(number ?? 1),
        items: items.map(([, , text = ""]) => text),
      });
      at += items.length - 1;
    } else if (line.trim() === "") endParagraph();
    else paragraph.push(line);
  }
  endParagraph();
  return blocks;
}
