import { useDecrypt, useDownload } from "keeplight/react";
import { useState } from "react";
import { type FileKind, getFileKind } from "../files/file-kind.ts";
import { formatList, formatPercent } from "../messages/format.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Icon } from "../ui/icon.tsx";
import { ProgressBar } from "../ui/progress-bar.tsx";
import type { FileFacts } from "./file-facts.ts";
import type { MediaKind } from "./media-content.tsx";
import { MediaPanel } from "./media-panel.tsx";
import { OpenedFile } from "./opened-file.tsx";

/**
 * Shows a preview of the file: films, sound and PDFs while their parts are fetched, others once they are downloaded. What
 * is encrypted is decrypted in this page.
 */
export function PreviewPanel({ info, cid }: { info: FileFacts; cid: string }) {
  const decrypting = useDecrypt();
  const downloading = useDownload();
  const { encryption, type, fileName } = info;
  const task = encryption ? decrypting : downloading;
  const [isPlaying, setPlaying] = useState(false);
  const kind = getFileKind(type);
  const openWhole = () => {
    setPlaying(false);
    void (encryption ? decrypting.decrypt(cid, { type }) : downloading.download(cid, { type }));
  };
  const open = () => (canPlay(kind) ? setPlaying(true) : openWhole());
  const { state } = task;

  if (isPlaying && canPlay(kind)) {
    const close = () => setPlaying(false);
    return <MediaPanel info={info} kind={kind} cid={cid} openWhole={openWhole} close={close} />;
  }

  if (state.status === "done") {
    const nodes = decrypting.state.status === "done" ? decrypting.state.result.report?.nodes : undefined;
    const source = nodes ? `Key recovered from nodes ${formatList([...nodes].sort().map(String))}` : "Not encrypted";
    return <OpenedFile key={state.result.url} file={state.result} name={fileName} source={source} close={task.reset} />;
  }
  return (
    <section className="card preview preview-closed" aria-label="Preview">
      {state.status === "running" ? (
        <div className="preview-running">
          <p>
            {encryption ? "Downloading and decrypting" : "Downloading"} · {formatPercent(state.progress?.fraction ?? 0)}
          </p>
          <ProgressBar fraction={state.progress?.fraction ?? 0} label={`Opening ${fileName}`} />
          <Button kind="quiet" onClick={task.abort}>
            Cancel
          </Button>
        </div>
      ) : (
        <>
          <span className="preview-lock">
            <Icon name={encryption ? "lock" : "file"} size={34} />
          </span>
          {state.status === "failed" ? (
            <ErrorNote error={state.error}>
              <Button icon="retry" onClick={openWhole}>
                Try again
              </Button>
            </ErrorNote>
          ) : (
            <>
              <p className="quiet preview-hint">
                {encryption
                  ? "The key comes from three of five key nodes; the file is decrypted in your browser."
                  : "This file is public. It is downloaded from the gateway."}
              </p>
              <Button kind="primary" onClick={open}>
                {encryption ? "Decrypt and open" : "Open"}
              </Button>
            </>
          )}
        </>
      )}
    </section>
  );
}

/** Whether this browser can read parts of such a file: that takes a Service Worker, which some windows do not have. */
function canPlay(kind: FileKind): kind is MediaKind {
  return (kind === "video" || kind === "audio" || kind === "pdf") && "serviceWorker" in navigator;
}
