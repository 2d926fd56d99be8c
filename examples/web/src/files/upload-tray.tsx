import type { UploadEntry } from "keeplight/react";
import { Button, IconButton } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { ProgressBar } from "../ui/progress-bar.tsx";
import { type Privacy, useAppUploads } from "../uploads/uploads-provider.tsx";
import { explainError } from "../words/explain-error.ts";
import { formatBytes, formatPercent, plural } from "../words/format.ts";

/** What is being uploaded, with progress of each and of all. */
export function UploadTray() {
  const { encrypted, open } = useAppUploads();
  const lists = [encrypted, open];
  const uploads = lists.flatMap((list) => list.uploads);
  if (uploads.length === 0) return null;
  const sum = (count: (list: typeof encrypted) => number) => lists.reduce((total, list) => total + count(list), 0);
  const each = (call: "abort" | "clear") => {
    for (const list of lists) list[call]();
  };
  const size = sum(({ total }) => total.size);
  const fraction = size === 0 ? 0 : sum(({ total }) => total.fraction * total.size) / size;
  const active = lists.some(({ total }) => total.active);
  const failed = sum(({ total }) => total.count.failed);
  const done = sum(({ total }) => total.count.done);
  const words = active
    ? `Uploading ${plural(uploads.length - done, "item")}`
    : failed > 0
      ? `${plural(failed, "upload")} failed`
      : `${plural(done, "upload")} finished`;
  return (
    <section className="card tray" aria-labelledby="tray-title">
      <header className="tray-head">
        <h2 id="tray-title">{words}</h2>
        <span className="quiet numbers">
          {formatPercent(fraction)} of {formatBytes(size)}
        </span>
        {active ? (
          <Button kind="quiet" onClick={() => each("abort")}>
            Cancel all
          </Button>
        ) : (
          <Button kind="quiet" onClick={() => each("clear")}>
            Clear
          </Button>
        )}
      </header>
      <ProgressBar fraction={fraction} label="All uploads" />
      <ul>
        {encrypted.uploads.map((entry) => (
          <UploadRow key={entry.id} entry={entry} privacy="encrypted" />
        ))}
        {open.uploads.map((entry) => (
          <UploadRow key={entry.id} entry={entry} privacy="public" />
        ))}
      </ul>
    </section>
  );
}

function UploadRow({ entry, privacy }: { entry: UploadEntry; privacy: Privacy }) {
  const uploads = useAppUploads();
  const list = privacy === "encrypted" ? uploads.encrypted : uploads.open;
  const { id, name, size, state } = entry;
  const fraction = state.status === "done" ? 1 : state.status === "running" ? (state.progress?.fraction ?? 0) : 0;
  return (
    <li className={`upload upload-${state.status}`}>
      <Icon name={privacy === "encrypted" ? "lock" : "globe"} size={18} />
      <div className="upload-words">
        <p className="upload-name">{name}</p>
        <p className="quiet">
          {statusWords(entry)}
          {size !== undefined && state.status !== "failed" && ` · ${formatBytes(size)}`}
        </p>
        {state.status === "running" && <ProgressBar fraction={fraction} label={name} />}
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

function statusWords({ state }: UploadEntry): string {
  switch (state.status) {
    case "waiting":
      return "Waiting";
    case "done":
      return "Stored";
    case "aborted":
      return "Cancelled";
    case "failed": {
      const { title, advice } = explainError(state.error);
      return `${title}. ${advice}`;
    }
    case "running": {
      const { phase, fraction = 0 } = state.progress ?? {};
      const phases = { preparing: "Encrypting", uploading: "Uploading", "saving-keys": "Saving key", downloading: "" };
      return `${phase ? phases[phase] : "Starting"} · ${formatPercent(fraction)}`;
    }
  }
}
