import type { ListedFile } from "keeplight";
import { memo } from "react";
import { isCertainlyFile } from "../file/find-facts.ts";
import type { Messages } from "../messages/en.ts";
import { formatBytes, formatTime, shorten } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { toHref } from "../routes.ts";
import { useSession } from "../session/session.ts";
import { IconButton } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { FileName, toSafeName } from "../ui/file-name.tsx";
import { Icon } from "../ui/icon.tsx";
import { getIconName } from "./file-kind.ts";

interface FileRowProps {
  file: ListedFile;
  /** Whether it is an encrypted folder. */
  isFolder: boolean;
  /** From 1, which is the heading's. */
  rowIndex: number;
  isSelected: boolean;
  onSelect: (ids: readonly string[], isSelected: boolean) => void;
  onDelete: (file: ListedFile) => void;
}

/** One file of the list. */
export const FileRow = memo(function FileRow({
  file,
  isFolder,
  rowIndex,
  isSelected,
  onSelect,
  onDelete,
}: FileRowProps) {
  const { id, cid, encryption, mimeType, createdAt, status } = file;
  const fileName = file.fileName ?? shorten(cid);
  const { network } = useSession();
  const { files: texts, ui } = useMessages();
  return (
    <tr aria-rowindex={rowIndex} className={isSelected ? "file-selected" : undefined}>
      <td className="file-select">
        <input
          type="checkbox"
          aria-label={texts.select(toSafeName(fileName))}
          checked={isSelected}
          disabled={id === ""}
          onChange={({ target }) => onSelect([id], target.checked)}
        />
      </td>
      <th scope="row" className="file-name">
        <div>
          <span className="file-icon">
            <Icon name={isFolder || isFolderLike(file) ? "folder" : getIconName(fileName, mimeType)} />
          </span>
          <div className="file-text">
            <a
              href={toHref(isFolder ? { screen: "folder", cid, path: "" } : { screen: "file", cid, tab: "preview" })}
              title={toSafeName(fileName)}
            >
              <FileName>{fileName}</FileName>
            </a>
            <span className="file-status">{describeStatus(status, texts)}</span>
          </div>
        </div>
      </th>
      <td className="file-access">
        <span className={encryption ? "badge badge-private" : "badge"}>
          <Icon name={encryption ? "lock" : "globe"} size={14} />
          {encryption ? texts.encrypted : texts.isPublic}
        </span>
      </td>
      <td className="numbers">{formatBytes(Number(file.fileSizeInBytes))}</td>
      <td className="file-added">{createdAt === null ? "" : formatTime(createdAt)}</td>
      <td className="file-cid mono">{shorten(cid)}</td>
      <td className="file-actions">
        <CopyButton text={cid} what={texts.cidOf(toSafeName(fileName))} />
        <a
          className="icon-button"
          href={`${network.endpoints.gateway}/ipfs/${cid}`}
          target="_blank"
          rel="noreferrer"
          aria-label={texts.viewOnGateway(toSafeName(fileName))}
          title={ui.viewOnGateway}
        >
          <Icon name="external" size={18} />
        </a>
        <IconButton
          icon="trash"
          label={texts.delete(toSafeName(fileName))}
          disabled={id === ""}
          onClick={() => onDelete(file)}
        />
      </td>
    </tr>
  );
});

/** Whether a file may be a folder, which only opening it shows. */
function isFolderLike(file: ListedFile): boolean {
  return !isCertainlyFile(file) && !file.fileName?.includes(".");
}

/** The state of a stored file: waiting for a deal with storage providers, or in one. */
function describeStatus(status: string | null | undefined, texts: Messages["files"]): string {
  if (!status) return texts.stored;
  return status === "queued" ? texts.dealPending : texts.storedAs(status.replaceAll("_", " ").toLowerCase());
}
