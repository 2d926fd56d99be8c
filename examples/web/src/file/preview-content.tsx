import type { ShownFile } from "keeplight/react";
import type { FileKind } from "../files/file-kind.ts";
import { formatBytes } from "../messages/format.ts";
import { Empty } from "../ui/empty.tsx";
import { MediaContent } from "./media-content.tsx";

/** The file's content, rendered by its kind. */
export function PreviewContent({
  kind,
  file: { url, blob },
  name,
  text,
  shownBytes,
}: {
  kind: FileKind;
  file: ShownFile;
  name: string;
  /** The start of a text file. */
  text: string;
  /** The maximum size of `text`. */
  shownBytes: number;
}) {
  switch (kind) {
    case "image":
      return <img className="preview-image" src={url} alt={name} />;
    case "video":
    case "audio":
    case "pdf":
      return <MediaContent kind={kind} url={url} name={name} />;
    case "text":
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard.
        <section className="preview-text" tabIndex={0} aria-label={name}>
          <pre>{text}</pre>
          {blob.size > shownBytes && (
            <p className="quiet">
              The first {formatBytes(shownBytes)} of {formatBytes(blob.size)}. Download the file to read all of it.
            </p>
          )}
        </section>
      );
    case "other":
      return (
        <Empty icon="file" title="No preview">
          Download the file to open it on your device.
        </Empty>
      );
  }
}
