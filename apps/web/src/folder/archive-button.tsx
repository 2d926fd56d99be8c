import { formatPercent } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { Button } from "../ui/button.tsx";
import { ProgressBar } from "../ui/progress-bar.tsx";
import type { SavingFolder } from "./use-save-folder.ts";

/** Saves a folder as an archive, and shows how far that is. */
export function ArchiveButton({
  saving: { state, save, abort },
  kind = "primary",
  disabled = false,
}: {
  saving: SavingFolder;
  kind?: "primary" | "secondary";
  disabled?: boolean;
}) {
  const { folder: texts } = useMessages();
  if (state.status === "listing" || state.status === "running") {
    const fraction = state.status === "running" ? state.fraction : 0;
    return (
      <div className="download">
        <Button icon="close" onClick={abort} aria-label={texts.cancelDownload}>
          <span className="numbers">
            {state.status === "running" ? formatPercent(fraction) : texts.listing(state.count)}
          </span>
        </Button>
        <ProgressBar fraction={fraction} label={texts.downloading} />
      </div>
    );
  }
  return (
    <Button kind={kind} icon="download" disabled={disabled} onClick={save}>
      {texts.download}
    </Button>
  );
}
