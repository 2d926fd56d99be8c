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
  label,
}: {
  info: FileFacts;
  opened: OpenedFileTask;
  saving: SavingFile;
  /** Name for assistive technology, where there are several. Missing for the file of the page. */
  label?: string;
}) {
  const { file } = useMessages();
  const kind = label === undefined ? "primary" : "secondary";
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
        <a
          className={`button button-${kind}`}
          href={state.result.url}
          download={toSafeName(info.fileName)}
          aria-label={label}
        >
          <Icon name="download" size={18} />
          {file.download}
        </a>
      ) : (
        <Button kind={kind} icon="download" busy={state.status === "running"} aria-label={label} onClick={saving.save}>
          {file.download}
        </Button>
      )}
    </div>
  );
}
