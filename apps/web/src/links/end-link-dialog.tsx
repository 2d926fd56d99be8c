import type { DriveLink } from "@keeplight/drive";
import { useLinks } from "@keeplight/react/drive";
import { useMessages } from "../messages/language.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { toSafeName } from "../ui/file-name.tsx";
import { useToast } from "../ui/toasts.tsx";
import { useAction } from "../ui/use-action.ts";

/** Asks before a link is ended. One that fails is listed still, and can be ended again. */
export function EndLinkDialog({
  link,
  onEnd,
  onClose,
}: {
  link: DriveLink;
  onEnd: (() => void) | undefined;
  onClose: () => void;
}) {
  const { links } = useMessages();
  const { end } = useLinks();
  const toast = useToast();
  const ending = useAction();
  const isBusy = ending.status === "busy";
  const confirm = async () => {
    const isDone = await ending.run(() => end(link));
    onEnd?.();
    if (!isDone) return;
    toast(links.ended);
    onClose();
  };
  return (
    <ConfirmDialog
      title={links.endTitle(toSafeName(link.name))}
      action={links.end}
      busy={isBusy}
      onConfirm={confirm}
      onCancel={() => isBusy || onClose()}
    >
      <p>{links.endBody}</p>
      {ending.status === "failed" && <ErrorNote error={ending.error} />}
    </ConfirmDialog>
  );
}
