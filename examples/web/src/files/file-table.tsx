import type { ListedFile } from "keeplight";
import { useKit } from "keeplight/react";
import { useState } from "react";
import { hrefOf } from "../routes.ts";
import { useAccountData } from "../session/account-data.tsx";
import { useSession } from "../session/session.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Icon } from "../ui/icon.tsx";
import { useToast } from "../ui/toasts.tsx";
import { explainError } from "../words/explain-error.ts";
import { formatBytes, formatTime, shorten } from "../words/format.ts";
import { iconOf } from "./file-kind.ts";

/** The account's files. On narrow windows each row is a card. */
export function FileTable({ files }: { files: readonly ListedFile[] }) {
  return (
    <table className="file-table">
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Access</th>
          <th scope="col">Size</th>
          <th scope="col">Added</th>
          <th scope="col">Content id</th>
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
            <Icon name={iconOf(fileName, mimeType)} />
          </span>
          <div className="file-words">
            <a href={hrefOf({ screen: "file", cid, tab: "preview" })} title={fileName}>
              {fileName}
            </a>
            <span className="file-status">{statusWords(status)}</span>
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
        <CopyButton text={cid} what="content id" />
        <a
          className="icon-button"
          href={`${network.endpoints.gateway}/ipfs/${cid}`}
          target="_blank"
          rel="noreferrer"
          aria-label={`Open ${fileName} at the gateway`}
          title="Open at the gateway"
        >
          <Icon name="link" size={18} />
        </a>
        <DeleteButton file={file} />
      </td>
    </tr>
  );
}

/** How far the network is with a file, after it is stored: on its way into a deal with storage providers, or in one. */
function statusWords(status: string | null | undefined): string {
  if (!status) return "Stored";
  return status === "queued" ? "Stored, waiting for a deal" : `Stored, ${status.replaceAll("_", " ").toLowerCase()}`;
}

/** Asks before it deletes, in place. */
function DeleteButton({ file: { id, cid, fileName: knownName } }: { file: ListedFile }) {
  const fileName = knownName ?? shorten(cid);
  const kit = useKit();
  const toast = useToast();
  const { files, balance } = useAccountData();
  const [step, setStep] = useState<"idle" | "asking" | "deleting">("idle");
  if (step === "idle")
    return <IconButton icon="trash" label={`Delete ${fileName}`} onClick={() => setStep("asking")} />;
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
        Keep
      </Button>
    </span>
  );
}
