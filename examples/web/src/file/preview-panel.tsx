import { useDecrypt, useDownload } from "keeplight/react";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Icon } from "../ui/icon.tsx";
import { ProgressBar } from "../ui/progress-bar.tsx";
import { formatPercent } from "../words/format.ts";
import type { FileFacts } from "./file-facts.ts";
import { OpenedFile } from "./opened-file.tsx";

/** Opens the file in this page, decrypting it where that is needed, and shows it or lets it be saved. */
export function PreviewPanel({ info, cid }: { info: FileFacts; cid: string }) {
  const decrypting = useDecrypt();
  const downloading = useDownload();
  const { encryption, type, fileName } = info;
  const task = encryption ? decrypting : downloading;
  const open = () => (encryption ? decrypting.decrypt(cid, { type }) : downloading.download(cid, { type }));
  const { state } = task;

  if (state.status === "done") {
    const nodes = decrypting.state.status === "done" ? decrypting.state.result.report?.nodes : undefined;
    const source = nodes ? `Key put together from nodes ${[...nodes].sort().join(", ")}` : "As it is stored";
    return <OpenedFile key={state.result.url} file={state.result} name={fileName} source={source} close={task.reset} />;
  }
  return (
    <section className="card preview preview-closed" aria-label="Preview">
      {state.status === "running" ? (
        <div className="preview-running">
          <p>
            {encryption ? "Fetching and decrypting" : "Fetching"} · {formatPercent(state.progress?.fraction ?? 0)}
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
                  ? "Its key is fetched from three of the five key nodes, and the file is decrypted here."
                  : "This file is public. It is fetched from the gateway."}
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
