import type { ListedFile } from "keeplight";
import { hrefOf } from "../routes.ts";
import { formatBytes, shorten } from "../words/format.ts";

/** How many are shown. */
const SHOWN = 4;

/** The files that take the most room, as bars. */
export function LargestFiles({ files }: { files: readonly ListedFile[] }) {
  const largest = [...files]
    .sort((one, other) => Number(other.fileSizeInBytes) - Number(one.fileSizeInBytes))
    .slice(0, SHOWN);
  const most = Number(largest[0]?.fileSizeInBytes ?? 0);
  if (most === 0) return null;
  return (
    <section className="card largest" aria-labelledby="largest-title">
      <h2 id="largest-title">Largest files</h2>
      <ul>
        {largest.map(({ id, cid, fileName, fileSizeInBytes }) => (
          <li key={id}>
            <a href={hrefOf({ screen: "file", cid, tab: "preview" })}>{fileName ?? shorten(cid)}</a>
            <span className="quiet numbers">{formatBytes(Number(fileSizeInBytes))}</span>
            <span className="largest-bar" aria-hidden="true">
              <span style={{ transform: `scaleX(${Math.max(Number(fileSizeInBytes) / most, 0.005)})` }} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
