import type { ReactNode } from "react";
import type { Messages } from "../messages/en.ts";
import { isRefusal } from "../messages/explain-error.ts";
import { formatList, formatPercent } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Icon } from "../ui/icon.tsx";
import { ProgressBar } from "../ui/progress-bar.tsx";
import type { FileFacts } from "./file-facts.ts";
import type { KnownKey } from "./link-key.ts";
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
  knownKey,
  whenRefused,
}: {
  info: FileFacts;
  cid: string;
  opened: OpenedFileTask;
  knownKey?: KnownKey | undefined;
  /** What to offer if the key nodes refuse the file to the account. */
  whenRefused?: ReactNode;
}) {
  const { preview, ui } = useMessages();
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
    return (
      <MediaPanel
        info={info}
        viewer={viewer}
        cid={cid}
        knownKey={knownKey}
        whenRefused={whenRefused}
        openWhole={openWhole}
        close={close}
      />
    );
  }
  if (state.status === "done") {
    const nodes = state.result.report?.nodes;
    const source = nodes ? preview.keyFrom(formatList([...nodes].sort().map(String))) : undefined;
    return (
      <OpenedFile
        key={state.result.url}
        file={state.result}
        viewer={viewer}
        name={fileName}
        source={source ?? (encryption ? preview.keyFromLink : preview.notEncrypted)}
        close={opened.reset}
      />
    );
  }
  const fraction = state.status === "running" ? (state.progress?.fraction ?? 0) : 0;
  const percent = formatPercent(fraction);
  return (
    <section className="card preview preview-closed" aria-label={preview.title}>
      {state.status === "running" ? (
        <div className="preview-running">
          <p>{encryption ? preview.decrypting(percent) : preview.downloading(percent)}</p>
          <ProgressBar fraction={fraction} label={preview.opening} />
          <Button kind="quiet" onClick={opened.abort}>
            {ui.cancel}
          </Button>
        </div>
      ) : state.status === "failed" ? (
        <ErrorNote error={state.error} retry={openWhole}>
          {isRefusal(state.error) && whenRefused}
        </ErrorNote>
      ) : (
        <>
          <span className="preview-lock">
            <Icon name={encryption ? "lock" : "file"} size={34} />
          </span>
          <p className="quiet preview-hint">{describeSource(info, knownKey?.key !== undefined, preview)}</p>
          <Button kind="primary" onClick={open}>
            {encryption ? preview.decrypt : preview.open}
          </Button>
        </>
      )}
    </section>
  );
}

function describeSource({ encryption }: FileFacts, hasKey: boolean, preview: Messages["preview"]): string {
  if (!encryption) return preview.publicHint;
  if (hasKey) return preview.linkHint;
  return preview.nodesHint;
}
