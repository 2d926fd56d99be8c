import { useState } from "react";
import type { Row } from "../drive/rows.ts";
import { createFileLink } from "../file/file-link.ts";
import { isCertainlyFile } from "../file/find-facts.ts";
import { getRowKey } from "../files/row-key.ts";
import { getRowRoute, type RowFolder } from "../files/row-route.ts";
import { useMessages } from "../messages/language.ts";
import { toHref } from "../routes.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { ActionLink } from "./action-link.tsx";
import { DetailsDownload } from "./details-download.tsx";
import type { RowActions } from "./row-actions.ts";

/** What can be done with one row. What cannot be is disabled, so that the others keep their places. */
export function DetailsActions({ row, folder, actions }: { row: Row; folder: RowFolder; actions: RowActions }) {
  const { details: texts, drive, file, files } = useMessages();
  const [running, setRunning] = useState<readonly Row[]>([]);
  const { id, cid, encryption, entry } = row;
  const route = getRowRoute(row, folder);
  const isFile = folder === false && entry?.type !== "folder";
  const canDownload = isFile && isCertainlyFile(row);
  const isShown = (one: Row) => getRowKey(one) === getRowKey(row);
  const track = async (downloaded: Row, work: Promise<void>) => {
    setRunning((known) => [...known, downloaded]);
    await work;
    setRunning((known) => known.filter((each) => each !== downloaded));
  };
  // A download goes on while another row is shown.
  const downloads = [...running.filter((each) => !isShown(each)), ...(canDownload ? [row] : [])];
  return (
    <div className="details-actions">
      <ActionLink icon="files" href={route && toHref(route)}>
        {texts.open}
      </ActionLink>
      {downloads.map((each) => (
        <DetailsDownload key={getRowKey(each)} row={each} isShown={isShown(each)} onRun={track} />
      ))}
      {!canDownload && (
        <Button icon="download" disabled>
          {file.download}
        </Button>
      )}
      {isFile && !encryption ? (
        <CopyButton key={cid} text={createFileLink(cid)} what={file.link} label={file.copyLink} />
      ) : (
        <ActionLink icon="people" href={isFile ? toHref({ screen: "file", cid, tab: "people" }) : undefined}>
          {file.share}
        </ActionLink>
      )}
      <Button icon="edit" disabled={!entry} onClick={() => actions.rename(row)}>
        {drive.rename}
      </Button>
      <Button icon="move" disabled={!actions.canMove([row])} onClick={() => actions.move([row])}>
        {drive.move}
      </Button>
      <Button icon="trash" disabled={id === ""} onClick={() => actions.remove([row])}>
        {entry ? drive.moveToTrash : files.deleteSelected}
      </Button>
    </div>
  );
}
