import type { ShownFile } from "keeplight/react";
import { useCallback } from "react";
import { kindOf } from "../files/file-kind.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { useAsked } from "../ui/use-asked.ts";
import { PreviewContent } from "./preview-content.tsx";

/** More text than this would only slow the page down. */
const TEXT_BYTES = 200_000;

/** A file that this page has opened: as far as it can be shown, and to be saved. */
export function OpenedFile({
  file,
  name,
  source,
  close,
}: {
  file: ShownFile;
  name: string;
  /** Where it came from, in words. */
  source: string;
  close: () => void;
}) {
  const { blob, url } = file;
  const kind = kindOf(blob.type);
  const read = useCallback(async () => (kind === "text" ? blob.slice(0, TEXT_BYTES).text() : ""), [blob, kind]);
  const text = useAsked(read);
  // Text has a height only once it is read.
  if (text.status === "loading") return <section className="card preview preview-closed" aria-busy="true" />;
  return (
    <section className="card preview" aria-label="Preview">
      <PreviewContent kind={kind} file={file} name={name} text={text.value ?? ""} shownBytes={TEXT_BYTES} />
      <footer className="preview-foot">
        <p className="quiet">{source}</p>
        <a className="button button-primary" href={url} download={name}>
          <Icon name="download" size={18} />
          Save
        </a>
        <Button kind="quiet" onClick={close}>
          Close
        </Button>
      </footer>
    </section>
  );
}
