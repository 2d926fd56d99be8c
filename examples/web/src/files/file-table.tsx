import type { ListedFile } from "keeplight";
import { useKit } from "keeplight/react";
import { useState } from "react";
import { explainError } from "../messages/explain-error.ts";
import { formatBytes, formatTime, shorten } from "../messages/format.ts";
import { toHref } from "../routes.ts";
import { useAccountData } from "../session/account-data.tsx";
import { useSession } from "../session/session.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Icon } from "../ui/icon.tsx";
import { useToast } from "../ui/toasts.tsx";
import { getIconName } from "./file-kind.ts";

/** The account's files. In narrow windows each row is a card. */
export function FileTable({ files }: { files: readonly ListedFile[] }) {
  return (
    <table className="file-table">
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Access</th>
          <th scope="col">Size</th>
          <th scope="col">Added</th>
          <th scope="col">CID</th>
          <th scope="col">
            <span className="visually-hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {files.map((file) => (
          <FileRow key={file.id} file={file} />
        ))}
      </tbody>
    </table>
  );
}

function FileRow({ file }: { file: ListedFile }) {
  const { cid, encryption, mimeType, createdAt, status } = file;
  const fileName = file.fileName ?? shorten(cid);
  const { network } = useSession();
  return (
    <tr>
      <th scope="row" className="file-name">
        <div>
          <span className="file-icon">
            <Icon name={getIconName(fileName, mimeType)} />
          </span>
          <div className="file-text">
            <a href={toHref({ screen: "file", cid, tab: "preview" })} title={fileName}>
              {fileName}
            </a>
            <span className="file-status">{describeStatus(status)}</span>
          </div>
        </div>
      </th>
      <td className="file-access">
        <span className={encryption ? "badge badge-private" : "badge"}>
          <Icon name={encryption ? "lock" : "globe"} size={14} />
          {encryption ? "Encrypted" : "Public"}
        </span>
      </td>
      <td className="numbers">{formatBytes(Number(file.fileSizeInBytes))}</td>
      <td className="file-added">{createdAt === null ? "" : formatTime(createdAt)}</td>
      <td className="file-cid mono">{shorten(cid)}</td>
      <td className="file-actions">
        <CopyButton text={cid} what="CID" />
        <a
          className="icon-button"
          href={`${network.endpoints.gateway}/ipfs/${cid}`}
          target="_blank"
          rel="noreferrer"
          aria-label={`View ${fileName} on gateway`}
          title="View on gateway"
        >
          <Icon name="link" size={18} />
        </a>
        <DeleteButton file={file} />
      </td>
    </tr>
  );
}

/** The state of a stored file: waiting for a deal with storage providers, or in one. */
function describeStatus(status: string | null | undefined): string {
  if (!status) return "Stored";
  return status === "queued" ? "Stored · deal pending" : `Stored · ${status.replaceAll("_", " ").toLowerCase()}`;
}

/** Deletes after a confirmation in place. */
function DeleteButton({ file: { id, cid, fileName: knownName } }: { file: ListedFile }) {
  const fileName = knownName ?? shorten(cid);
  const kit = useKit();
  const toast = useToast();
  const { files, balance } = useAccountData();
  const [step, setStep] = useState<"idle" | "confirming" | "deleting">("idle");
  if (step === "idle")
    return <IconButton icon="trash" label={`Delete ${fileName}`} onClick={() => setStep("confirming")} />;
  const remove = async () => {
    setStep("deleting");
    try {
      await kit.deleteFile(id);
      toast(`Deleted ${fileName}`);
      await Promise.all([files.reload(), balance.reload()]);
    } catch (error) {
      setStep("idle");
      const { title, advice } = explainError(error);
      toast(`${title}. ${advice}`);
    }
  };
  return (
    <span className="confirm">
      <Button kind="danger" busy={step === "deleting"} onClick={remove}>
        Delete
      </Button>
      <Button kind="quiet" onClick={() => setStep("idle")}>
        Cancel
      </Button>
    </span>
  );
}
