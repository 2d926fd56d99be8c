import type { UploadEntry } from "keeplight/react";
import { Button, IconButton } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { ProgressBar } from "../ui/progress-bar.tsx";
import { explainError } from "../words/explain-error.ts";
import { formatBytes, formatPercent } from "../words/format.ts";
import { type Privacy, useAppUploads } from "./uploads-provider.tsx";

/** One upload: how far it is, and what can be done about it. */
export function UploadRow({ entry, privacy }: { entry: UploadEntry; privacy: Privacy }) {
  const uploads = useAppUploads();
  const list = privacy === "encrypted" ? uploads.encrypted : uploads.open;
  const { id, name, state } = entry;
  const fraction = state.status === "done" ? 1 : state.status === "running" ? (state.progress?.fraction ?? 0) : 0;
  return (
    <li className={`upload upload-${state.status}`}>
      <Icon name={privacy === "encrypted" ? "lock" : "globe"} size={18} />
      <div className="upload-words">
        <p className="upload-name">{name}</p>
        <p className="quiet">{statusWords(entry)}</p>
        {/* Keeps its place when there is nothing to show, so that the words stay where they are. */}
        <div className="upload-bar">
          {state.status === "running" && <ProgressBar fraction={fraction} label={name} />}
        </div>
      </div>
      {(state.status === "running" || state.status === "waiting") && (
        <IconButton icon="close" label={`Cancel ${name}`} onClick={() => list.abort(id)} />
      )}
      {(state.status === "failed" || state.status === "aborted") && (
        <Button icon="retry" onClick={() => list.retry(id)}>
          Retry
        </Button>
      )}
      {state.status !== "running" && state.status !== "waiting" && (
        <IconButton icon="close" label={`Remove ${name} from this list`} onClick={() => list.clear(id)} />
      )}
    </li>
  );
}

function statusWords({ state, size }: UploadEntry): string {
  const ofSize = size === undefined ? "" : ` · ${formatBytes(size)}`;
  switch (state.status) {
    case "waiting":
      return `Waiting${ofSize}`;
    case "done":
      return `Stored${ofSize}`;
    case "aborted":
      return `Cancelled${ofSize}`;
    case "failed": {
      const { title, advice } = explainError(state.error);
      return `${title}. ${advice}`;
    }
    case "running": {
      const { phase, fraction = 0 } = state.progress ?? {};
      const phases = { preparing: "Encrypting", uploading: "Uploading", "saving-keys": "Saving key", downloading: "" };
      return `${phase ? phases[phase] : "Starting"} · ${formatPercent(fraction)}${ofSize}`;
    }
  }
}
