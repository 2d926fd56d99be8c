import type { DriveFolder } from "@keeplight/drive";
import { useKit } from "@keeplight/react";
import type { OpenedFolder } from "keeplight";
import { useState } from "react";
import { useFolderTools } from "../drive/folder-tools.tsx";
import { ShareFilesDialog } from "../files/share-files-dialog.tsx";
import { openFolder } from "../folder/open-folder.ts";
import { ShareDialog } from "../folder/share-dialog.tsx";
import { useFolderChange } from "../folder/use-folder-change.ts";
import { useMessages } from "../messages/language.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { useAction } from "../ui/use-action.ts";
import type { Requested } from "./use-requested.ts";

/** What can be shared of what was found. */
export type Shareable = Extract<Requested, { kind: "file" | "folder" | "stored-folder" }>;

interface ShareProps {
  /** Whom the dialog starts with. Nothing is shared before its button is pressed. */
  recipient: string;
  onClose: () => void;
}

/** Opens the dialog that shares what was asked for. */
export function ShareRequested({ requested, ...props }: ShareProps & { requested: Shareable }) {
  if (requested.kind === "folder") return <ShareDriveFolder folder={requested.folder} {...props} />;
  if (requested.kind === "stored-folder") return <ShareStoredFolder cid={requested.cid} {...props} />;
  return <ShareFile requested={requested} {...props} />;
}

function ShareFile({
  requested: { cid, name, entry },
  recipient,
  onClose,
}: ShareProps & { requested: Extract<Requested, { kind: "file" }> }) {
  const { requests } = useMessages();
  const [isOpen, setOpen] = useState(false);
  const file = { cid, fileName: name, ...(entry && { entry }) };
  const close = () => {
    setOpen(false);
    onClose();
  };
  return (
    <>
      <Button kind="primary" icon="people" onClick={() => setOpen(true)}>
        {requests.share}
      </Button>
      {isOpen && <ShareFilesDialog files={[file]} recipient={recipient} onClose={close} />}
    </>
  );
}

function ShareDriveFolder({ folder, recipient, onClose }: ShareProps & { folder: DriveFolder }) {
  const { requests } = useMessages();
  const { opened, change, isBusy, error, open, close } = useFolderTools(folder).sharing;
  const end = () => {
    close();
    onClose();
  };
  return (
    <>
      <Button kind="primary" icon="people" busy={isBusy} onClick={open}>
        {requests.share}
      </Button>
      {error !== undefined && <ErrorNote error={error} retry={open} />}
      {opened && <ShareDialog {...opened} change={change} recipient={recipient} onClose={end} />}
    </>
  );
}

function ShareStoredFolder({ cid, recipient, onClose }: ShareProps & { cid: string }) {
  const { requests } = useMessages();
  const kit = useKit();
  const opening = useAction();
  const change = useFolderChange();
  const [folder, setFolder] = useState<OpenedFolder>();
  const open = () => void opening.run(async (signal) => setFolder(await openFolder(kit, cid, signal)));
  const close = () => {
    setFolder(undefined);
    onClose();
  };
  return (
    <>
      <Button kind="primary" icon="people" busy={opening.status === "busy"} onClick={open}>
        {requests.share}
      </Button>
      {opening.status === "failed" && <ErrorNote error={opening.error} retry={open} />}
      {folder && <ShareDialog folder={folder} change={change} recipient={recipient} onClose={close} />}
    </>
  );
}
