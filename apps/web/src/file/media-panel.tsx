import { useMediaUrl } from "@keeplight/react";
import type { ReactNode } from "react";
import { isRefusal } from "../messages/explain-error.ts";
import { useMessages } from "../messages/language.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { toSafeName } from "../ui/file-name.tsx";
import type { FileFacts } from "./file-facts.ts";
import type { KnownKey } from "./link-key.ts";
import { MediaContent } from "./media-content.tsx";
import type { MediaViewer } from "./viewer.ts";

/** Plays or shows a file while its parts are fetched, and decrypted if it is encrypted. */
export function MediaPanel({
  info,
  viewer,
  cid,
  knownKey,
  whenRefused,
  openWhole,
  close,
}: {
  info: FileFacts;
  viewer: MediaViewer;
  cid: string;
  knownKey: KnownKey | undefined;
  /** What to offer if the key nodes refuse the file to the account. */
  whenRefused: ReactNode;
  /** Downloads all of it, because it cannot be read in parts. */
  openWhole: () => void;
  close: () => void;
}) {
  const { preview, ui } = useMessages();
  const { encryption, fileName } = info;
  const { url, error, retry } = useMediaUrl(cid, toMediaOptions(knownKey, encryption));
  if (error) {
    return (
      <section className="card preview preview-closed" aria-label={preview.title}>
        <ErrorNote error={error} retry={retry}>
          {isRefusal(error) ? whenRefused : <Button onClick={openWhole}>{preview.openWhole}</Button>}
        </ErrorNote>
      </section>
    );
  }
  if (!url) {
    return (
      <section className="card preview preview-closed" aria-label={preview.title} aria-busy="true">
        <p>{preview.openingName(toSafeName(fileName))}</p>
        <Button kind="quiet" onClick={close}>
          {ui.cancel}
        </Button>
      </section>
    );
  }
  return (
    <section className="card preview" aria-label={preview.title}>
      <MediaContent viewer={viewer} url={url} cid={cid} name={fileName} />
      <footer className="preview-foot">
        <p className="quiet">{encryption ? preview.decryptedParts : preview.verifiedParts}</p>
        <Button kind="quiet" onClick={close}>
          {ui.close}
        </Button>
      </footer>
    </section>
  );
}

/** Parts of a file are verified by its blocks only, so that no chunk profile is of use. */
function toMediaOptions(knownKey: KnownKey | undefined, encrypted: boolean) {
  if (!knownKey) return { encrypted };
  const { chunkProfile: _, ...key } = knownKey;
  return { encrypted: true, ...key } as const;
}
