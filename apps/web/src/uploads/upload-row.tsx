import type { UploadEntry } from "@keeplight/react";
import { memo } from "react";
import { explainError } from "../messages/explain-error.ts";
import { formatBytes, formatPercent } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { type Route, toHref } from "../routes.ts";
import { useIsSigning, useWalletName } from "../session/session.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { FileName, toSafeName } from "../ui/file-name.tsx";
import { Icon } from "../ui/icon.tsx";
import { ProgressBar } from "../ui/progress-bar.tsx";
import { lacksRoom } from "./lacks-room.ts";
import { PaidNote } from "./paid-note.tsx";
import { PayForUpload } from "./pay-for-upload.tsx";
import { RepairKey } from "./repair-key.tsx";
import { countNodes, isRetryable } from "./tray-entries.ts";
import { useAppUploads } from "./uploads-provider.tsx";
import { useRate } from "./use-rate.ts";
import type { ListName } from "./use-upload-lists.ts";

/** One upload: its state, and buttons for it. Renders at its own changes only, as there may be a thousand. */
export const UploadRow = memo(function UploadRow({
  entry,
  list: listName,
  onClear,
}: {
  entry: UploadEntry;
  list: ListName;
  onClear: (entry: UploadEntry) => void;
}) {
  const { uploads: text } = useMessages();
  const uploads = useAppUploads();
  const list = uploads.lists[listName];
  const { id, state, source } = entry;
  const name = toSafeName(entry.name);
  const isActive = state.status === "running" || state.status === "waiting";
  const { Hash: cid, receipt } = state.status === "done" ? state.files[0] : {};
  const nodes = countNodes(entry);
  const isFolder = Array.isArray(entry.source);
  const href = cid && toHref(getRoute());
  function getRoute(): Route {
    if (!isFolder || state.status !== "done") return { screen: "file", cid: cid ?? "", tab: "preview" };
    if (listName !== "added") return { screen: "folder", cid: cid ?? "", path: "" };
    // The first file is in the folder, or below it.
    const [path = ""] = state.files[0].Name.split(`${entry.name}/`);
    return { screen: "files", folder: `${path}${entry.name}` };
  }

  return (
    <li className={`upload upload-${state.status}`}>
      <Icon name={isFolder ? "folder" : listName === "open" ? "globe" : "lock"} size={18} />
      <div className="upload-text">
        {href === undefined ? (
          <p className="upload-name">
            <FileName>{entry.name}</FileName>
          </p>
        ) : (
          <a className="upload-name" href={href} aria-label={text.openFile(name)}>
            <FileName>{entry.name}</FileName>
          </a>
        )}
        <UploadStatus entry={entry} />
        {receipt && <PaidNote receipt={receipt} name={name} />}
        {nodes !== undefined &&
          (cid === undefined ? <p className="quiet">{text.keySaved(nodes)}</p> : <RepairKey cid={cid} nodes={nodes} />)}
        {isRetryable(entry) && (
          <div className="upload-choices">
            <Button icon="retry" onClick={() => list.retry(id)}>
              {text.retry}
            </Button>
            {state.status === "failed" && lacksRoom(state.error) && source instanceof File && (
              <PayForUpload
                file={source}
                privacy={listName === "open" ? "public" : "encrypted"}
                onPay={(payPerUpload) => {
                  list.clear(id);
                  uploads.start([source], {
                    privacy: listName === "open" ? "public" : "encrypted",
                    folder: "",
                    choices: { payPerUpload },
                  });
                }}
              />
            )}
          </div>
        )}
      </div>
      {isActive && <IconButton icon="close" label={text.cancel(name)} onClick={() => list.abort(id)} />}
      {href !== undefined && <CopyButton text={new URL(href, location.href).href} what={text.linkTo(name)} />}
      {!isActive && <IconButton icon="close" label={text.dismiss(name)} onClick={() => onClear(entry)} />}
    </li>
  );
});

function UploadStatus({ entry: { state, size = 0, name } }: { entry: UploadEntry }) {
  const { uploads: text } = useMessages();
  const walletName = useWalletName();
  const isSigning = useIsSigning();
  const { phase, fraction = 0 } = (state.status === "running" ? state.progress : undefined) ?? {};
  const rate = useRate(fraction, size, phase === "uploading");
  const ofSize = size === 0 ? "" : ` · ${formatBytes(size)}`;
  switch (state.status) {
    case "waiting":
      return <p className="quiet">{`${text.waiting}${ofSize}`}</p>;
    case "done":
      return <p className="quiet">{`${text.stored}${ofSize}`}</p>;
    case "aborted":
      return <p className="quiet">{`${text.cancelledOne}${ofSize}`}</p>;
    case "failed": {
      const { title, advice } = explainError(state.error);
      return <p className="quiet">{`${title}. ${advice}`}</p>;
    }
    case "running":
      return (
        <>
          <p className="quiet">
            {isSigning && phase !== "uploading"
              ? text.confirm(walletName)
              : `${phase ? text.phases[phase] : text.starting} · ${formatPercent(fraction)}${rate ? ` · ${rate}` : ofSize}`}
          </p>
          <ProgressBar fraction={fraction} label={toSafeName(name)} />
        </>
      );
  }
}
