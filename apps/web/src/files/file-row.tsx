import type { ListedFile } from "keeplight";
import { memo } from "react";
import { getListedSize } from "../file/file-facts.ts";
import { isCertainlyFile } from "../file/find-facts.ts";
import { formatBytes, shorten } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { toHref } from "../routes.ts";
import { useSession } from "../session/session.ts";
import { Age } from "../ui/age.tsx";
import { IconButton } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { FileName, toSafeName } from "../ui/file-name.tsx";
import { Icon } from "../ui/icon.tsx";
import { getIconName } from "./file-kind.ts";
import { FileNote } from "./file-note.tsx";

interface FileRowProps {
  file: ListedFile;
  /** Whether it is an encrypted folder; `partial` if only files of it are stored, so that it does not open. */
  folder: boolean | "partial";
  /** Whether its upload is not complete. */
  isUnfinished: boolean;
  /** Addresses that it is shared with, as far as is known. */
  sharedTo: readonly string[] | undefined;
  /** Whether it was added while the list was shown. */
  isNew: boolean;
  /** From 1, which is the heading's. */
  rowIndex: number;
  isSelected: boolean;
  onSelect: (ids: readonly string[], isSelected: boolean) => void;
  onDelete: (file: ListedFile) => void;
}

/** One file of the list. */
export const FileRow = memo(function FileRow({
  file,
  folder,
  isUnfinished,
  sharedTo,
  isNew,
  rowIndex,
  isSelected,
  onSelect,
  onDelete,
}: FileRowProps) {
  const { id, cid, encryption, mimeType, createdAt } = file;
  const fileName = file.fileName ?? shorten(cid);
  const safeName = toSafeName(fileName);
  const size = getListedSize(file, folder !== false);
  const { files: texts } = useMessages();
  const className = `${isSelected ? "file-selected" : ""}${isNew ? " file-new" : ""}`;
  return (
    <tr aria-rowindex={rowIndex} className={className || undefined}>
      <td className="file-select">
        <input
          type="checkbox"
          aria-label={texts.select(safeName)}
          checked={isSelected}
          disabled={id === ""}
          onChange={({ target }) => onSelect([id], target.checked)}
        />
      </td>
      <th scope="row" className="file-name">
        <div>
          <span className="file-icon">
            <Icon name={folder || isFolderLike(file) ? "folder" : getIconName(fileName, mimeType)} />
          </span>
          <div className="file-text">
            {folder === "partial" ? (
              <span className="file-partial" title={safeName}>
                <FileName>{fileName}</FileName>
              </span>
            ) : (
              <a
                href={toHref(folder ? { screen: "folder", cid, path: "" } : { screen: "file", cid, tab: "preview" })}
                title={safeName}
              >
                <FileName>{fileName}</FileName>
              </a>
            )}
            <FileNote status={file.status} isUnfinished={isUnfinished} sharedTo={sharedTo} />
          </div>
        </div>
      </th>
      <td className="file-access">
        <span className={encryption ? "badge badge-private" : "badge"}>
          <Icon name={encryption ? "lock" : "globe"} size={14} />
          {encryption ? texts.encrypted : texts.isPublic}
        </span>
      </td>
      <td className="numbers">{size >= 0 ? formatBytes(size) : ""}</td>
      <td className="file-added">{createdAt !== null && <Age ms={createdAt} />}</td>
      <td className="file-cid mono">{folder !== "partial" && shorten(cid)}</td>
      <td className="file-actions">
        {folder !== "partial" && <Actions file={file} name={safeName} onDelete={onDelete} />}
      </td>
    </tr>
  );
});

function Actions({ file, name, onDelete }: Pick<FileRowProps, "file" | "onDelete"> & { name: string }) {
  const { network } = useSession();
  const { files: texts, ui } = useMessages();
  return (
    <>
      {/* Of an encrypted file, a gateway has ciphertext. */}
      {!file.encryption && (
        <a
          className="icon-button"
          href={`${network.endpoints.gateway}/ipfs/${file.cid}`}
          target="_blank"
          rel="noreferrer"
          aria-label={texts.viewOnGateway(name)}
          title={ui.viewOnGateway}
        >
          <Icon name="external" size={18} />
        </a>
      )}
      <CopyButton text={file.cid} what={texts.cidOf(name)} />
      <IconButton icon="trash" label={texts.delete(name)} disabled={file.id === ""} onClick={() => onDelete(file)} />
    </>
  );
}

/** Whether a file may be a folder, which only opening it shows. */
function isFolderLike(file: ListedFile): boolean {
  return !isCertainlyFile(file) && !file.fileName?.includes(".");
}
