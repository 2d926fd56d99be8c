import type { UploadEntry } from "keeplight/react";
import { explainError } from "../messages/explain-error.ts";
import { formatBytes, formatPercent } from "../messages/format.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { ProgressBar } from "../ui/progress-bar.tsx";
import { type Privacy, useAppUploads } from "./uploads-provider.tsx";

/** One upload: its state, and buttons to cancel, retry or dismiss it. */
export function UploadRow({ entry, privacy }: { entry: UploadEntry; privacy: Privacy }) {
  const uploads = useAppUploads();
  const list = privacy === "encrypted" ? uploads.encrypted : uploads.open;
  const { id, name, state } = entry;
  const fraction = state.status === "done" ? 1 : state.status === "running" ? (state.progress?.fraction ?? 0) : 0;
  return (
    <li className={`upload upload-${state.status}`}>
      <Icon name={privacy === "encrypted" ? "lock" : "globe"} size={18} />
      <div className="upload-text">
        <p className="upload-name">{name}</p>
        <p className="quiet">{describeStatus(entry)}</p>
        {/* Keeps its place when it is empty, so that the text does not shift. */}
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
        <IconButton icon="close" label={`Dismiss ${name}`} onClick={() => list.clear(id)} />
      )}
    </li>
  );
}

function describeStatus({ state, size }: UploadEntry): string {
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
