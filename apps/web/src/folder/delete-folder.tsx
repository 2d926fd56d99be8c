import type { ListedFile } from "keeplight";
import { useState } from "react";
import { DeleteDialog } from "../files/delete-dialog.tsx";
import { useDeleteFiles } from "../files/use-delete-files.ts";
import { useMessages } from "../messages/language.ts";
import { replaceRoute } from "../routes.ts";
import { useAccountData } from "../session/account-data.tsx";
import { IconButton } from "../ui/button.tsx";

/** Deletes the folder, if it is in the account's list. */
export function DeleteFolder({ cid }: { cid: string }) {
  const { ui } = useMessages();
  const { groups } = useAccountData();
  const { busy, deleteFiles } = useDeleteFiles();
  const [isAsking, setAsking] = useState(false);
  const own = groups.shown.find((file) => file.cid === cid && file.id !== "");
  if (!own) return null;
  const remove = async (below: readonly ListedFile[]) => {
    const deleted = await deleteFiles([own], below);
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
