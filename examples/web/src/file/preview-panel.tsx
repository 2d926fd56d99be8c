import { useDecrypt, useDownload } from "keeplight/react";
import { formatList, formatPercent } from "../messages/format.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Icon } from "../ui/icon.tsx";
import { ProgressBar } from "../ui/progress-bar.tsx";
import type { FileFacts } from "./file-facts.ts";
import { OpenedFile } from "./opened-file.tsx";

/** Downloads the file in this page, decrypts it if it is encrypted, and shows a preview. */
export function PreviewPanel({ info, cid }: { info: FileFacts; cid: string }) {
  const decrypting = useDecrypt();
  const downloading = useDownload();
  const { encryption, type, fileName } = info;
  const task = encryption ? decrypting : downloading;
  const open = () => (encryption ? decrypting.decrypt(cid, { type }) : downloading.download(cid, { type }));
  const { state } = task;

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
              <Button icon="retry" onClick={open}>
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
