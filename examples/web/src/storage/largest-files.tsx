import type { ListedFile } from "keeplight";
import { formatBytes, shorten } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { toHref } from "../routes.ts";
import { FileName } from "../ui/file-name.tsx";

/** The number of files shown. */
const SHOWN = 4;

/** The largest files, as bars. */
export function LargestFiles({ files }: { files: readonly ListedFile[] }) {
  const { storage } = useMessages();
  const largest = [...files]
    .sort((one, other) => Number(other.fileSizeInBytes) - Number(one.fileSizeInBytes))
    .slice(0, SHOWN);
  const maximum = Number(largest[0]?.fileSizeInBytes ?? 0);
  if (maximum === 0) return null;
  return (
    <section className="card largest" aria-labelledby="largest-title">
      <h2 id="largest-title">{storage.largest}</h2>
      <ul>
        {largest.map(({ id, cid, fileName, fileSizeInBytes }) => (
          <li key={id}>
            <a href={toHref({ screen: "file", cid, tab: "preview" })}>
              <FileName>{fileName ?? shorten(cid)}</FileName>
            </a>
            <span className="quiet numbers">{formatBytes(Number(fileSizeInBytes))}</span>
            <span className="largest-bar" aria-hidden="true">
              <span style={{ transform: `scaleX(${Math.max(Number(fileSizeInBytes) / maximum, 0.005)})` }} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
