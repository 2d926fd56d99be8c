import { useKit } from "keeplight/react";
import { useState } from "react";
import { DeleteDialog } from "../files/delete-dialog.tsx";
import { useDeleteFiles } from "../files/use-delete-files.ts";
import { useMessages } from "../messages/language.ts";
import { getLastName, replaceRoute, toHref } from "../routes.ts";
import { useAccountData } from "../session/account-data.tsx";
import { useSession } from "../session/session.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Icon } from "../ui/icon.tsx";
import { ArchiveButton } from "./archive-button.tsx";
import { FolderView } from "./folder-view.tsx";
import { isOtherKind } from "./is-other-kind.ts";
import { listPublicFolder } from "./list-archive.ts";
import { useFolderListing } from "./use-folder-listing.ts";
import { useRootName } from "./use-root-name.ts";
import { useSaveFolder } from "./use-save-folder.ts";

/** A public folder, of this account or another. */
export function FolderScreen({ cid, path }: { cid: string; path: string }) {
  const { folder: texts, ui } = useMessages();
  const kit = useKit();
  const { network } = useSession();
  const listing = useFolderListing(cid, path);
  const root = useRootName(cid);
  const saving = useSaveFolder(getLastName(path) || root, (options) => listPublicFolder(kit, { cid, path }, options));
  const link = new URL(toHref({ screen: "folder", cid, path }), location.href).href;
  const place = [cid, ...path.split("/").map(encodeURIComponent)].join("/");
  return (
    <FolderView
      cid={cid}
      root={root}
      path={path}
      listing={listing}
      isFile={isOtherKind(listing.error)}
      actions={
        <>
          <ArchiveButton saving={saving} />
          <CopyButton text={link} what={texts.link} label={texts.copyLink} />
          <a
            className="button button-secondary"
            href={`${network.endpoints.gateway}/ipfs/${place}`}
            target="_blank"
            rel="noreferrer"
          >
            <Icon name="external" size={18} />
            {ui.viewOnGateway}
          </a>
          {path === "" && <DeleteFolder cid={cid} />}
        </>
      }
    >
      {saving.state.status === "failed" && (
        <ErrorNote error={saving.state.error}>
          <Button icon="retry" onClick={saving.save}>
            {ui.tryAgain}
          </Button>
        </ErrorNote>
      )}
    </FolderView>
  );
}

/** Deletes the folder, if it is in the account's list. */
function DeleteFolder({ cid }: { cid: string }) {
  const { ui } = useMessages();
  const { files } = useAccountData();
  const { busy, deleteFiles } = useDeleteFiles();
  const [isAsking, setAsking] = useState(false);
  const own = files.files.find((file) => file.cid === cid && file.id !== "");
  if (!own) return null;
  const remove = async () => {
    const deleted = await deleteFiles([own]);
    setAsking(false);
    if (deleted.length > 0) replaceRoute({ screen: "files" });
  };
  return (
    <>
      <IconButton icon="trash" label={ui.delete} onClick={() => setAsking(true)} />
      {isAsking && (
        <DeleteDialog files={[own]} busy={busy} onConfirm={remove} onCancel={() => busy || setAsking(false)} />
      )}
    </>
  );
}
