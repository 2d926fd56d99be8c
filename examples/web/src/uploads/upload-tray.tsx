import { useState } from "react";
import { Button, IconButton } from "../ui/button.tsx";
import { ProgressBar } from "../ui/progress-bar.tsx";
import { formatBytes, formatPercent, plural } from "../words/format.ts";
import { UploadRow } from "./upload-row.tsx";
import { useAppUploads } from "./uploads-provider.tsx";

/** What is being uploaded, over the corner of every screen: it pushes nothing aside when it comes and goes. */
export function UploadTray() {
  const { encrypted, open, entries } = useAppUploads();
  const [unfolded, setUnfolded] = useState(() => matchMedia("(min-width: 56rem)").matches);
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
  const words = active
    ? `Uploading ${plural(items - done, "item")}`
    : failed > 0
      ? `${plural(failed, "upload")} failed`
      : `${plural(done, "upload")} finished`;
  return (
    <section className="card tray" aria-labelledby="tray-title">
      <header className="tray-head">
        <div>
          <h2 id="tray-title">{words}</h2>
          <p className="quiet numbers">{`${formatPercent(fraction)} of ${formatBytes(size)}`}</p>
        </div>
        <Button kind="quiet" onClick={() => each(active ? "abort" : "clear")}>
          {active ? "Cancel all" : "Clear"}
        </Button>
        <IconButton
          icon={unfolded ? "fold" : "unfold"}
          label={unfolded ? "Hide the list of uploads" : "Show the list of uploads"}
          aria-expanded={unfolded}
          onClick={() => setUnfolded(!unfolded)}
        />
      </header>
      <ProgressBar fraction={fraction} label="All uploads" />
      {unfolded && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard.
        <ul tabIndex={0} aria-label="Uploads">
          {entries.map(({ entry, privacy }) => (
            <UploadRow key={`${privacy} ${entry.id}`} entry={entry} privacy={privacy} />
          ))}
        </ul>
      )}
    </section>
  );
}
