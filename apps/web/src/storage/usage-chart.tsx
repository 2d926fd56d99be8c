import type { ListedFile, Usage } from "keeplight";
import { type FileKind, getFileKind, getMimeType } from "../files/file-kind.ts";
import { formatBytes, formatPercent } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";

const groups = [
  { name: "images", kinds: ["image"] },
  { name: "media", kinds: ["video", "audio"] },
  { name: "documents", kinds: ["text", "pdf"] },
  { name: "other", kinds: ["other"] },
] as const satisfies readonly { name: string; kinds: readonly FileKind[] }[];

/** Least width of a kind that has files, as a part of the bar, so that it is seen. */
const LEAST = 0.004;

/** A bar as long as the account's storage, filled by what is used of it, by kind of file; with a legend. */
export function UsageChart({ usage, files }: { usage: Usage | undefined; files: readonly ListedFile[] }) {
  const { storage } = useMessages();
  const sizes = groups.map(({ name, kinds }) => ({ name, size: sumSizes(files, kinds) }));
  const used = usage?.dataUsed ?? 0;
  const limit = usage?.dataLimit ?? 0;
  // The list may be behind the usage, or ahead of it.
  const whole = Math.max(limit, used, 1);
  const listed = sizes.reduce((total, { size }) => total + size, 0);
  const scale = listed > whole ? 1 / listed : 1 / whole;
  return (
    <section className="card usage" aria-labelledby="usage-title" aria-busy={usage === undefined}>
      <h2 id="usage-title">{storage.used}</h2>
      <p className="usage-figures">
        <strong>{usage ? formatBytes(used) : "\u00a0"}</strong>
        {usage && <span className="quiet">{storage.ofLimit(formatBytes(limit), formatShare(used, limit))}</span>}
      </p>
      <div className="usage-chart" aria-hidden="true">
        {sizes.map(({ name, size }) => (
          <span
            key={name}
            className={`chart-${name}`}
            style={{ flexBasis: size === 0 ? 0 : `${Math.max(size * scale, LEAST) * 100}%` }}
          />
        ))}
      </div>
      <ul className="legend">
        {sizes.map(({ name, size }) => (
          <li key={name}>
            <span className={`legend-dot chart-${name}`} />
            <span>{storage[name]}</span>
            <span className="quiet numbers">{formatBytes(size)}</span>
          </li>
        ))}
      </ul>
      <p className="quiet">{storage.rented}</p>
    </section>
  );
}

function sumSizes(files: readonly ListedFile[], kinds: readonly FileKind[]): number {
  return files
    .filter(({ fileName, mimeType }) => kinds.includes(getFileKind(getMimeType(fileName ?? "", mimeType))))
    .reduce((sum, { fileSizeInBytes }) => sum + Number(fileSizeInBytes), 0);
}

/** Formats how full the storage is; what is less than 1% is not called 0%. */
function formatShare(used: number, limit: number): string {
  if (limit <= 0) return formatPercent(0);
  return used > 0 && used / limit < 0.01 ? `<${formatPercent(0.01)}` : formatPercent(used / limit);
}
