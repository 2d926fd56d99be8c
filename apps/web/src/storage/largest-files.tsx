import type { ListedFile } from "keeplight";
import { getListedSize } from "../file/file-facts.ts";
import { formatBytes, shorten } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { toHref } from "../routes.ts";
import { FileName } from "../ui/file-name.tsx";

/** The number of files shown. */
const SHOWN = 4;

/** The largest files and folders, as bars. */
export function LargestFiles({
  files,
  folders,
}: {
  files: readonly ListedFile[];
  /** The encrypted folders among them, by content id. */
  folders: ReadonlyMap<string, unknown>;
}) {
  const { storage } = useMessages();
  const largest = files
    .map((file) => ({
      ...file,
      isFolder: folders.has(file.cid),
      size: getListedSize(file, folders.has(file.cid)) || 0,
    }))
    .sort((one, other) => other.size - one.size)
    .slice(0, SHOWN);
  const maximum = largest[0]?.size ?? 0;
  if (maximum === 0) return null;
  return (
    <section className="card largest" aria-labelledby="largest-title">
      <h2 id="largest-title">{storage.largest}</h2>
      <ul>
        {largest.map(({ id, cid, fileName, size, isFolder }) => (
          <li key={id}>
            <a href={toHref(isFolder ? { screen: "folder", cid, path: "" } : { screen: "file", cid, tab: "preview" })}>
              <FileName>{fileName ?? shorten(cid)}</FileName>
            </a>
            <span className="quiet numbers">{formatBytes(size)}</span>
            <span className="largest-bar" aria-hidden="true">
              <span style={{ transform: `scaleX(${Math.max(size / maximum, 0.005)})` }} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
