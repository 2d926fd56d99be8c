import type { ListedFile, Usage } from "keeplight";
import { type FileKind, getFileKind, getMimeType } from "../files/file-kind.ts";
import { formatBytes, formatPercent } from "../messages/format.ts";

const groups: readonly { label: string; colour: string; kinds: readonly FileKind[] }[] = [
  { label: "Images", colour: "var(--chart-1)", kinds: ["image"] },
  { label: "Media", colour: "var(--chart-2)", kinds: ["video", "audio"] },
  { label: "Documents", colour: "var(--chart-3)", kinds: ["text", "pdf"] },
  { label: "Other", colour: "var(--chart-4)", kinds: ["other"] },
];

/** A bar of the used storage by kind of file, with a legend. */
export function UsageChart({ usage, files }: { usage: Usage | undefined; files: readonly ListedFile[] }) {
  const sizes = groups.map(({ kinds }) =>
    files
      .filter(({ fileName, mimeType }) => kinds.includes(getFileKind(getMimeType(fileName ?? "", mimeType))))
      .reduce((sum, { fileSizeInBytes }) => sum + Number(fileSizeInBytes), 0),
  );
  const sum = sizes.reduce((total, size) => total + size, 0);
  const used = usage?.dataUsed ?? 0;
  const limit = usage?.dataLimit ?? 0;
  let start = 0;
  return (
    <section className="card usage" aria-labelledby="usage-title" aria-busy={usage === undefined}>
      <h2 id="usage-title">Storage used</h2>
      <p className="usage-figures">
        <strong>{usage ? formatBytes(used) : "\u00a0"}</strong>
        {usage && (
          <span className="quiet">
            of {formatBytes(limit)} ·{" "}
            {limit > 0 && used / limit < 0.01 && used > 0 ? "<1%" : formatPercent(limit > 0 ? used / limit : 0)} used
          </span>
        )}
      </p>
      <svg className="usage-chart" viewBox="0 0 1000 40" preserveAspectRatio="none" aria-hidden="true">
        {groups.map(({ label, colour }, at) => {
          const width = sum === 0 ? 0 : ((sizes[at] ?? 0) / sum) * 1000;
          const x = start;
          start += width;
          return <rect key={label} x={x} y={0} width={Math.max(width - 4, 0)} height={40} fill={colour} />;
        })}
      </svg>
      <ul className="legend">
        {groups.map(({ label, colour }, at) => (
          <li key={label}>
            <span className="legend-dot" style={{ background: colour }} />
            <span>{label}</span>
            <span className="quiet numbers">{formatBytes(sizes[at] ?? 0)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
