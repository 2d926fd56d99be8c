import type { ShownFile } from "@keeplight/react";
import { useMessages } from "../messages/language.ts";
import { Button } from "../ui/button.tsx";
import { PreviewContent } from "./preview-content.tsx";
import type { Viewer } from "./viewer.ts";

/** A decrypted or downloaded file. */
export function OpenedFile({
  file,
  viewer,
  name,
  source,
  close,
}: {
  file: ShownFile;
  viewer: Viewer;
  name: string;
  /** A description of its origin. */
  source: string;
  close: () => void;
}) {
  const { preview, ui } = useMessages();
  return (
    <section className="card preview" aria-label={preview.title}>
      <PreviewContent viewer={viewer} file={file} name={name} />
      <footer className="preview-foot">
        <p className="quiet">{source}</p>
        <Button kind="quiet" onClick={close}>
          {ui.close}
        </Button>
      </footer>
    </section>
  );
}
