import type { ShownFile } from "keeplight/react";
import { useCallback } from "react";
import { kindOf } from "../files/file-kind.ts";
import { Empty } from "../ui/empty.tsx";
import { useAsked } from "../ui/use-asked.ts";
import { formatBytes } from "../words/format.ts";

/** More text than this would only slow the page down. */
const TEXT_BYTES = 200_000;

/** The file itself, by its kind. */
export function PreviewContent({ file, name }: { file: ShownFile; name: string }) {
  switch (kindOf(file.blob.type)) {
    case "image":
      return <img className="preview-image" src={file.url} alt={name} />;
    case "video":
      // biome-ignore lint/a11y/useMediaCaption: somebody's own file comes without captions.
      return <video className="preview-video" src={file.url} controls aria-label={name} />;
    case "audio":
      // biome-ignore lint/a11y/useMediaCaption: somebody's own file comes without captions.
      return <audio className="preview-audio" src={file.url} controls aria-label={name} />;
    case "pdf":
      return <iframe className="preview-pdf" src={file.url} title={name} />;
    case "text":
      return <TextPreview file={file} name={name} />;
    case "other":
      return (
        <Empty icon="file" title="Opened">
          There is no preview for this kind of file. Save it to open it on this machine.
        </Empty>
      );
  }
}

function TextPreview({ file: { blob }, name }: { file: ShownFile; name: string }) {
  const read = useCallback(() => blob.slice(0, TEXT_BYTES).text(), [blob]);
  const text = useAsked(read);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard.
    <section className="preview-text" tabIndex={0} aria-label={name}>
      <pre>{text.value}</pre>
      {blob.size > TEXT_BYTES && (
        <p className="quiet">
          The first {formatBytes(TEXT_BYTES)} of {formatBytes(blob.size)}. Save the file to read all of it.
        </p>
      )}
    </section>
  );
}
