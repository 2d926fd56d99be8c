import { type DragEvent, memo } from "react";
import { useContactBook } from "../contacts/contact-book.tsx";
import { useDropTarget } from "../drive/drag.ts";
import type { Row } from "../drive/rows.ts";
import { getListedSize } from "../file/file-facts.ts";
import { isCertainlyFile } from "../file/find-facts.ts";
import { formatBytes, shorten } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { toHref } from "../routes.ts";
import { useSession } from "../session/session.ts";
import { FileIcon } from "../thumbnails/file-icon.tsx";
import { Age } from "../ui/age.tsx";
import { IconButton } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { FileName, toSafeName } from "../ui/file-name.tsx";
import { Icon } from "../ui/icon.tsx";
import { describeNote, FileNote } from "./file-note.tsx";
import { getRowRoute, type RowFolder } from "./row-route.ts";

interface FileRowProps {
  file: Row;
  /** Whether to show the folder that it is in. */
  showsPlace: boolean;
  folder: RowFolder;
  /** Whether its upload is not complete. */
  isUnfinished: boolean;
  /** Addresses that it is shared with, as far as is known. */
  sharedTo: readonly string[] | undefined;
  /** Whether it was added while the list was shown. */
  isNew: boolean;
  /** From 1, which is the heading's. */
  rowIndex: number;
  isSelected: boolean;
  /** Whether it is the row that Tab reaches; all others, and the controls of each, are reached by the arrow keys. */
  isCurrent: boolean;
  onSelect: (ids: readonly string[], isSelected: boolean) => void;
  onDrag: (event: DragEvent, id: string) => void;
  onDelete: (file: Row) => void;
}

/** One file of the list, which receives the focus as a row. */
export const FileRow = memo(function FileRow({
  file,
  showsPlace,
  folder,
  isUnfinished,
  sharedTo,
  isNew,
  rowIndex,
  isSelected,
  isCurrent,
  onSelect,
  onDrag,
  onDelete,
}: FileRowProps) {
  const { id, cid, encryption, mimeType, createdAt, entry } = file;
  const isOwnFolder = entry?.type === "folder";
  const fileName = file.fileName ?? shorten(cid);
  const safeName = toSafeName(fileName);
  const bytes = getListedSize(file, folder !== false || isOwnFolder);
  const size = bytes >= 0 ? formatBytes(bytes) : "";
  const { files: texts, drive } = useMessages();
  const book = useContactBook();
  const { className: overClass = "", ...target } = useDropTarget(isOwnFolder ? entry.path : undefined);
  const className = `${isSelected ? "file-selected" : ""}${isNew ? " file-new" : ""} ${overClass}`.trim();
  const canDrag = entry !== undefined || (folder === false && id !== "");
  const place = showsPlace && entry ? entry.path.slice(0, -entry.name.length - 1) : "";
  const route = getRowRoute(file, folder);
  const label = [
    safeName,
    (isOwnFolder || folder) && drive.folder,
    encryption ? texts.encrypted : texts.isPublic,
    size,
    describeNote({ isUnfinished, sharedTo }, texts, book),
    place !== "" && drive.inFolder(toSafeName(place)),
  ];
  return (
    <tr
      aria-rowindex={rowIndex}
      aria-label={label.filter(Boolean).join(", ")}
      aria-selected={isSelected}
      tabIndex={isCurrent ? 0 : -1}
      className={className || undefined}
      draggable={canDrag}
      onDragStart={(event: DragEvent) => onDrag(event, id)}
      {...target}
    >
      <td className="file-select">
        <input
          type="checkbox"
          aria-label={texts.select(safeName)}
          tabIndex={-1}
          checked={isSelected}
          disabled={id === ""}
          onChange={({ target }) => onSelect([id], target.checked)}
        />
      </td>
      <th scope="row" className="file-name">
        <div>
          <FileIcon
            cid={cid}
            name={fileName}
            mimeType={mimeType}
            isFolder={isOwnFolder || folder !== false || isFolderLike(file)}
          />
          <div className="file-text">
            {route ? (
              <a href={toHref(route)} title={safeName} tabIndex={-1} draggable={false}>
                <FileName>{fileName}</FileName>
              </a>
            ) : (
              <span className="file-partial" title={safeName}>
                <FileName>{fileName}</FileName>
              </span>
            )}
            {place === "" ? (
              <FileNote status={file.status} isUnfinished={isUnfinished} sharedTo={sharedTo} />
            ) : (
              <span className="file-note">
                <FileName>{drive.inFolder(place)}</FileName>
              </span>
            )}
          </div>
        </div>
      </th>
      <td className="file-access">
        <span className={encryption ? "badge badge-private" : "badge"}>
          <Icon name={encryption ? "lock" : "globe"} size={14} />
          {encryption ? texts.encrypted : texts.isPublic}
        </span>
      </td>
      <td className="numbers">{size}</td>
      <td className="file-added">{createdAt !== null && <Age ms={createdAt} />}</td>
      <td className="file-cid mono">{folder !== "partial" && cid !== "" && shorten(cid)}</td>
      <td className="file-actions">
        {folder !== "partial" && <Actions file={file} name={safeName} onDelete={onDelete} />}
      </td>
    </tr>
  );
});

function Actions({ file, name, onDelete }: Pick<FileRowProps, "file" | "onDelete"> & { name: string }) {
  const isFolder = file.entry?.type === "folder";
  const { network } = useSession();
  const { files: texts, drive, ui } = useMessages();
  return (
    <>
      {/* Of an encrypted file, a gateway has ciphertext. */}
      {!file.encryption && (
        <a
          className="icon-button"
          href={`${network.endpoints.gateway}/ipfs/${file.cid}`}
          target="_blank"
          rel="noreferrer"
          tabIndex={-1}
          aria-label={texts.viewOnGateway(name)}
          title={ui.viewOnGateway}
        >
          <Icon name="external" size={18} />
        </a>
      )}
      {!isFolder && <CopyButton text={file.cid} what={texts.cidOf(name)} tabIndex={-1} />}
      <IconButton
        icon="trash"
        label={(file.entry ? drive.trashOf : texts.delete)(name)}
        tabIndex={-1}
        disabled={file.id === ""}
        onClick={() => onDelete(file)}
      />
    </>
  );
}

/** Whether a file may be a folder, which only opening it shows. */
function isFolderLike(file: Row): boolean {
  return !isCertainlyFile(file) && !file.fileName?.includes(".");
}
