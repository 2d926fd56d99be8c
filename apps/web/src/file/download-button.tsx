import { formatPercent } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { Button } from "../ui/button.tsx";
import { toSafeName } from "../ui/file-name.tsx";
import { Icon } from "../ui/icon.tsx";
import { ProgressBar } from "../ui/progress-bar.tsx";
import type { FileFacts } from "./file-facts.ts";
import type { OpenedFileTask } from "./use-opened-file.ts";
import type { SavingFile } from "./use-save-file.ts";

/** Saves the file: at once if it is open. Shows the progress of a file that is written straight to the disk. */
export function DownloadButton({
  info,
  opened: { state },
  saving,
}: {
  info: FileFacts;
  opened: OpenedFileTask;
  saving: SavingFile;
}) {
  const { file } = useMessages();
  if (saving.state.status === "running") {
    const { fraction } = saving.state;
    return (
      <div className="download">
        <Button icon="close" onClick={saving.abort} aria-label={file.cancelDownload}>
          <span className="numbers">{formatPercent(fraction)}</span>
        </Button>
        <ProgressBar fraction={fraction} label={file.downloading} />
      </div>
    );
  }
  return (
    <div className="download">
      {state.status === "done" ? (
        <a className="button button-primary" href={state.result.url} download={toSafeName(info.fileName)}>
          <Icon name="download" size={18} />
          {file.download}
        </a>
      ) : (
        <Button kind="primary" icon="download" busy={state.status === "running"} onClick={saving.save}>
          {file.download}
        </Button>
      )}
    </div>
  );
}
