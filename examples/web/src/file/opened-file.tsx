import type { ShownFile } from "keeplight/react";
import { useCallback } from "react";
import { getFileKind } from "../files/file-kind.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { useQuery } from "../ui/use-query.ts";
import { PreviewContent } from "./preview-content.tsx";

/** More text than this would slow the page down. */
const TEXT_BYTES = 200_000;

/** A decrypted or downloaded file: a preview, and a download link. */
export function OpenedFile({
  file,
  name,
  source,
  close,
}: {
  file: ShownFile;
  name: string;
  /** A description of its origin. */
  source: string;
  close: () => void;
}) {
  const { blob, url } = file;
  const kind = getFileKind(blob.type);
  const read = useCallback(async () => (kind === "text" ? blob.slice(0, TEXT_BYTES).text() : ""), [blob, kind]);
  const text = useQuery(read);
  // The height of text is unknown until it is read.
  if (text.status === "loading") return <section className="card preview preview-closed" aria-busy="true" />;
  return (
    <section className="card preview" aria-label="Preview">
      <PreviewContent kind={kind} file={file} name={name} text={text.value ?? ""} shownBytes={TEXT_BYTES} />
      <footer className="preview-foot">
        <p className="quiet">{source}</p>
        <a className="button button-primary" href={url} download={name}>
          <Icon name="download" size={18} />
          Download
        </a>
        <Button kind="quiet" onClick={close}>
          Close
        </Button>
      </footer>
    </section>
  );
}
