import type { ReactNode } from "react";
import { getMessages } from "../../messages/language.ts";
import { type Block, readMarkdown } from "./read-markdown.ts";

/** Lightly formatted Markdown. HTML is shown as text, and images by their description: nothing is loaded from elsewhere. */
export function MarkdownView({ text }: { text: string }) {
  return (
    <div className="markdown-view">
      {readMarkdown(text).map((block, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks have no other identity, and never move.
        <BlockView key={at} block={block} />
      ))}
    </div>
  );
}

function BlockView({ block }: { block: Block }) {
  switch (block.kind) {
    case "heading": {
      // The page has its own headings of the first two levels.
      const Heading = (["h3", "h4", "h5", "h6"] as const)[Math.min(block.level, 4) - 1] ?? "h6";
      return <Heading>{formatInline(block.text)}</Heading>;
    }
    case "code":
      return (
        <pre>
          <code>{block.text}</code>
        </pre>
      );
    case "quote":
      return <blockquote>{formatInline(block.text)}</blockquote>;
    case "rule":
      return <hr />;
    case "list": {
      // biome-ignore lint/suspicious/noArrayIndexKey: items have no other identity, and never move.
      const items = block.items.map((item, at) => <li key={at}>{formatInline(item)}</li>);
      return block.isOrdered ? <ol start={block.start}>{items}</ol> : <ul>{items}</ul>;
    }
    case "paragraph":
      return <p>{formatInline(block.text)}</p>;
  }
}

/** Code, bold, italic, images and links, in this order of precedence; nothing is nested. */
const INLINE = /`([^`\n]+)`|\*\*([^*\n]+)\*\*|__([^_\n]+)__|\*([^*\n]+)\*|(!?)\[([^[\]\n]*)\]\(([^)\s]{1,2000})\)/g;

function formatInline(text: string): ReactNode[] {
  const parts: ReactNode[] = [];
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    const [whole, code, bold, alsoBold, italic, bang, label = "", target = ""] = match;
    parts.push(text.slice(end, match.index));
    end = match.index + whole.length;
    const key = match.index;
    if (code !== undefined) parts.push(<code key={key}>{code}</code>);
    else if (bold !== undefined || alsoBold !== undefined) parts.push(<strong key={key}>{bold ?? alsoBold}</strong>);
    else if (italic !== undefined) parts.push(<em key={key}>{italic}</em>);
    else if (bang === "!") parts.push(<em key={key}>[{label || getMessages().preview.image}]</em>);
    else if (/^(https?:\/\/|mailto:)/i.test(target)) {
      parts.push(
        <a key={key} href={target} title={target} target="_blank" rel="noopener noreferrer">
          {label || target}
        </a>,
      );
    } else parts.push(label);
  }
  parts.push(text.slice(end));
  return parts;
}
