import type { ShownFile } from "keeplight/react";
import type { FileKind } from "../files/file-kind.ts";
import { Empty } from "../ui/empty.tsx";
import { formatBytes } from "../words/format.ts";

/** The file itself, by its kind. */
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
  /** Of a text, its beginning. */
  text: string;
  /** How much that is at most. */
  shownBytes: number;
}) {
  switch (kind) {
    case "image":
      return <img className="preview-image" src={url} alt={name} />;
    case "video":
      // biome-ignore lint/a11y/useMediaCaption: somebody's own file comes without captions.
      return <video className="preview-video" src={url} controls aria-label={name} />;
    case "audio":
      // biome-ignore lint/a11y/useMediaCaption: somebody's own file comes without captions.
      return <audio className="preview-audio" src={url} controls aria-label={name} />;
    case "pdf":
      return <iframe className="preview-pdf" src={url} title={name} />;
    case "text":
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard.
        <section className="preview-text" tabIndex={0} aria-label={name}>
          <pre>{text}</pre>
          {blob.size > shownBytes && (
            <p className="quiet">
              The first {formatBytes(shownBytes)} of {formatBytes(blob.size)}. Save the file to read all of it.
            </p>
          )}
        </section>
      );
    case "other":
      return (
        <Empty icon="file" title="Opened">
          There is no preview for this kind of file. Save it to open it on this machine.
        </Empty>
      );
  }
}
