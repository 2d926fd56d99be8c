import { useState } from "react";
import { formatBytes, formatPercent, plural } from "../messages/format.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { ProgressBar } from "../ui/progress-bar.tsx";
import { UploadRow } from "./upload-row.tsx";
import { useAppUploads } from "./uploads-provider.tsx";

/** The uploads, in a corner above every screen, so that the layout does not shift when the tray appears. */
export function UploadTray() {
  const { encrypted, open, entries } = useAppUploads();
  const [expanded, setExpanded] = useState(() => matchMedia("(min-width: 56rem)").matches);
  const lists = [encrypted, open];
  const sum = (count: (list: typeof encrypted) => number) => lists.reduce((total, list) => total + count(list), 0);
  const each = (call: "abort" | "clear") => {
    for (const list of lists) list[call]();
  };
  const items = sum(({ uploads }) => uploads.length);
  if (items === 0) return null;
  const size = sum(({ total }) => total.size);
  const done = sum(({ total }) => total.count.done);
  const failed = sum(({ total }) => total.count.failed);
  const active = lists.some(({ total }) => total.active);
  const fraction = size === 0 ? done / items : sum(({ total }) => total.fraction * total.size) / size;
  const title = active
    ? `Uploading ${plural(items - done, "item")}`
    : failed > 0
      ? `${plural(failed, "upload")} failed`
      : `${plural(done, "upload")} complete`;
  return (
    <section className="card tray" aria-labelledby="tray-title">
      <header className="tray-head">
        <div>
          <h2 id="tray-title">{title}</h2>
          <p className="quiet numbers">{`${formatPercent(fraction)} of ${formatBytes(size)}`}</p>
        </div>
        <Button kind="quiet" onClick={() => each(active ? "abort" : "clear")}>
          {active ? "Cancel all" : "Clear"}
        </Button>
        <IconButton
          icon={expanded ? "fold" : "unfold"}
          label={expanded ? "Collapse" : "Expand"}
          aria-expanded={expanded}
          onClick={() => setExpanded(!expanded)}
        />
      </header>
      <ProgressBar fraction={fraction} label="All uploads" />
      {expanded && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard.
        <ul tabIndex={0} aria-label="Uploads">
          {entries.map(({ entry, privacy }) => (
            <UploadRow key={`${privacy} ${entry.id}`} entry={entry} privacy={privacy} />
          ))}
        </ul>
      )}
    </section>
  );
}
