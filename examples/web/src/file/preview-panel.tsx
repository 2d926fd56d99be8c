import { formatList, formatPercent } from "../messages/format.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Icon } from "../ui/icon.tsx";
import { ProgressBar } from "../ui/progress-bar.tsx";
import type { FileFacts } from "./file-facts.ts";
import type { LinkKey } from "./link-key.ts";
import { MediaPanel } from "./media-panel.tsx";
import { OpenedFile } from "./opened-file.tsx";
import { useAutoOpen } from "./use-auto-open.ts";
import type { OpenedFileTask } from "./use-opened-file.ts";
import { canStream } from "./viewer.ts";

/**
 * Shows a preview of the file: films, sound and PDFs while their parts are fetched, others once they are downloaded. What
 * is encrypted is decrypted in this page.
 */
export function PreviewPanel({
  info,
  cid,
  opened,
  linkKey,
}: {
  info: FileFacts;
  cid: string;
  opened: OpenedFileTask;
  /** Of a file that is opened without a wallet. */
  linkKey?: LinkKey | undefined;
}) {
  const { encryption, viewer, fileName } = info;
  const { state, isPlaying, setPlaying } = opened;
  const openWhole = () => {
    setPlaying(false);
    void opened.open();
  };
  const open = () => (canStream(viewer) ? setPlaying(true) : openWhole());
  useAutoOpen(info, open);

  if (isPlaying && canStream(viewer)) {
    const close = () => setPlaying(false);
    return <MediaPanel info={info} viewer={viewer} cid={cid} linkKey={linkKey} openWhole={openWhole} close={close} />;
  }
  if (state.status === "done") {
    const nodes = state.result.report?.nodes;
    const source = nodes ? `Key recovered from nodes ${formatList([...nodes].sort().map(String))}` : undefined;
    return (
      <OpenedFile
        key={state.result.url}
        file={state.result}
        viewer={viewer}
        name={fileName}
        source={source ?? (encryption ? "Decrypted with the key in the link" : "Not encrypted")}
        close={opened.reset}
      />
    );
  }
  return (
    <section className="card preview preview-closed" aria-label="Preview">
      {state.status === "running" ? (
        <div className="preview-running">
          <p>
            {encryption ? "Downloading and decrypting" : "Downloading"} · {formatPercent(state.progress?.fraction ?? 0)}
          </p>
          <ProgressBar fraction={state.progress?.fraction ?? 0} label="Opening the file" />
          <Button kind="quiet" onClick={opened.abort}>
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
              <p className="quiet preview-hint">{describeSource(info, linkKey !== undefined)}</p>
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

function describeSource({ encryption }: FileFacts, hasKey: boolean): string {
  if (!encryption) return "This file is public. It is downloaded from the gateway.";
  if (hasKey) return "The key is in the link; the file is decrypted in your browser.";
  return "The key comes from three of five key nodes; the file is decrypted in your browser.";
}
