import { useCallback } from "react";
import { formatBytes } from "../../messages/format.ts";
import { useMessages } from "../../messages/language.ts";
import { ErrorNote } from "../../ui/error-note.tsx";
import { toSafeName } from "../../ui/file-name.tsx";
import { useQuery } from "../../ui/use-query.ts";
import type { Viewer } from "../viewer.ts";
import { CodeView } from "./code-view.tsx";
import { formatJson } from "./format-json.ts";
import { MarkdownView } from "./markdown-view.tsx";
import { TableView } from "./table-view.tsx";

/** More text than this would slow the page down. */
const TEXT_BYTES = 200_000;
/** Enough for the rows that a table shows. */
const TABLE_BYTES = 1_000_000;

/** Text of any kind, of which a long one is shown in part. */
export function TextContent({ viewer, blob, name }: { viewer: Viewer; blob: Blob; name: string }) {
  const { preview } = useMessages();
  const limit = viewer === "table" ? TABLE_BYTES : TEXT_BYTES;
  const read = useCallback(() => blob.slice(0, limit).text(), [blob, limit]);
  const text = useQuery(read);
  if (text.status === "failed") return <ErrorNote error={text.error} />;
  const isPart = blob.size > limit;
  return (
    <section
      className="preview-text"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard.
      tabIndex={0}
      aria-label={toSafeName(name)}
      aria-busy={text.status === "loading"}
    >
      {text.status === "ready" && <View viewer={viewer} text={text.value} isPart={isPart} />}
      {isPart && text.status === "ready" && (
        <p className="quiet preview-part">{preview.partOfText(formatBytes(limit), formatBytes(blob.size))}</p>
      )}
    </section>
  );
}

function View({ viewer, text, isPart }: { viewer: Viewer; text: string; isPart: boolean }) {
  switch (viewer) {
    case "markdown":
      return <MarkdownView text={text} />;
    case "table":
      return <TableView text={text} />;
    case "json":
      return <CodeView text={isPart ? text : formatJson(text)} />;
    case "code":
      return <CodeView text={text} />;
    default:
      return <pre>{text}</pre>;
  }
}
