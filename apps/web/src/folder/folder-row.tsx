import type { FolderEntry } from "keeplight";
import { memo } from "react";
import { getIconName } from "../files/file-kind.ts";
import { formatBytes } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { joinPath, toHref } from "../routes.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { FileName, toSafeName } from "../ui/file-name.tsx";
import { Icon } from "../ui/icon.tsx";

/** What a row shows: a file of its own, or a folder, which may have no CID. */
export type ShownEntry = Omit<FolderEntry, "cid"> & { cid?: string | undefined };

/** One entry of a folder. */
export const FolderRow = memo(function FolderRow({
  entry: { name, type, size, cid },
  folder,
  path,
  rowIndex,
}: {
  entry: ShownEntry;
  /** CID of the folder that the path is below. */
  folder: string;
  path: string;
  /** From 1, which is the heading's. */
  rowIndex: number;
}) {
  const { folder: texts, files } = useMessages();
  const below = joinPath(path, name);
  const safe = toSafeName(name);
  const href =
    type === "folder"
      ? toHref({ screen: "folder", cid: folder, path: below })
      : type === "file" && cid !== undefined
        ? toHref({ screen: "file", cid, tab: "preview", within: joinPath(folder, below) })
        : undefined;
  return (
    <tr aria-rowindex={rowIndex}>
      <th scope="row" className="file-name">
        <div>
          <span className="file-icon">
            <Icon name={type === "folder" ? "folder" : getIconName(name, undefined)} />
          </span>
          {href === undefined ? (
            <span className="folder-other" title={safe}>
              <FileName>{name}</FileName>
            </span>
          ) : (
            <a href={href} title={safe}>
              <FileName>{name}</FileName>
            </a>
          )}
        </div>
      </th>
      <td className="numbers">
        {type === "folder" ? texts.isFolder : type === "other" ? texts.unreadable : formatBytes(size ?? 0)}
      </td>
      <td>{cid !== undefined && <CopyButton text={cid} what={files.cidOf(safe)} />}</td>
    </tr>
  );
});
