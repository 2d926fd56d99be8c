import { useMediaUrl } from "keeplight/react";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { FileName } from "../ui/file-name.tsx";
import type { FileFacts } from "./file-facts.ts";
import type { LinkKey } from "./link-key.ts";
import { MediaContent } from "./media-content.tsx";
import type { MediaViewer } from "./viewer.ts";

/** Plays or shows a file while its parts are fetched, and decrypted if it is encrypted. */
export function MediaPanel({
  info,
  viewer,
  cid,
  linkKey,
  openWhole,
  close,
}: {
  info: FileFacts;
  viewer: MediaViewer;
  cid: string;
  linkKey: LinkKey | undefined;
  /** Downloads all of it, because it cannot be read in parts. */
  openWhole: () => void;
  close: () => void;
}) {
  const { encryption, fileName } = info;
  const { url, error, retry } = useMediaUrl(cid, linkKey ? { encrypted: true, ...linkKey } : { encrypted: encryption });
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
        <p>
          Opening <FileName>{fileName}</FileName>…
        </p>
        <Button kind="quiet" onClick={close}>
          Cancel
        </Button>
      </section>
    );
  }
  return (
    <section className="card preview" aria-label="Preview">
      <MediaContent viewer={viewer} url={url} name={fileName} />
      <footer className="preview-foot">
        <p className="quiet">
          {encryption ? "Decrypted in this page, part by part" : "Not encrypted; each part is verified"}
        </p>
        <Button kind="quiet" onClick={close}>
          Close
        </Button>
      </footer>
    </section>
  );
}
