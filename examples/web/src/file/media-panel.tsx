import { useMediaUrl } from "keeplight/react";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import type { FileFacts } from "./file-facts.ts";
import { MediaContent, type MediaKind } from "./media-content.tsx";

/** Plays or shows a file while its parts are fetched, and decrypted if it is encrypted. */
export function MediaPanel({
  info,
  kind,
  cid,
  openWhole,
  close,
}: {
  info: FileFacts;
  kind: MediaKind;
  cid: string;
  /** Downloads all of it, to keep it or because it cannot be read in parts. */
  openWhole: () => void;
  close: () => void;
}) {
  const { encryption, fileName } = info;
  const { url, error, retry } = useMediaUrl(cid, { encrypted: encryption });
  if (error) {
    return (
      <section className="card preview preview-closed" aria-label="Preview">
        <ErrorNote error={error}>
          <Button icon="retry" onClick={retry}>
            Try again
          </Button>
          <Button onClick={openWhole}>Open the whole file</Button>
        </ErrorNote>
      </section>
    );
  }
  if (!url) {
    return (
      <section className="card preview preview-closed" aria-label="Preview" aria-busy="true">
        <p>Opening {fileName} …</p>
        <Button kind="quiet" onClick={close}>
          Cancel
        </Button>
      </section>
    );
  }
  return (
    <section className="card preview" aria-label="Preview">
      <MediaContent kind={kind} url={url} name={fileName} />
      <footer className="preview-foot">
        <p className="quiet">
          {encryption ? "Decrypted in this page, part by part" : "Not encrypted; each part is verified"}
        </p>
        <Button icon="download" onClick={openWhole}>
          Prepare download
        </Button>
        <Button kind="quiet" onClick={close}>
          Close
        </Button>
      </footer>
    </section>
  );
}
