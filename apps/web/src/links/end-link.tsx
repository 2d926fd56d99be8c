import type { DriveLink } from "@keeplight/drive";
import { useLinks } from "@keeplight/react/drive";
import { useState } from "react";
import { useMessages } from "../messages/language.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { toSafeName } from "../ui/file-name.tsx";
import { useToast } from "../ui/toasts.tsx";
import { useAction } from "../ui/use-action.ts";

/** Asks before a link is ended. One that fails is listed still, and can be ended again. */
export function EndLink({
  link,
  onEnd,
  onClose,
}: {
  /** The one that is asked about. */
  link: DriveLink | undefined;
  onEnd?: (() => void) | undefined;
  onClose: () => void;
}) {
  const { links } = useMessages();
  const { end } = useLinks();
  const toast = useToast();
  const ending = useAction();
  const [latest, setLatest] = useState<DriveLink>();
  const isBusy = ending.status === "busy";
  const endLink = async (chosen: DriveLink) => {
    setLatest(chosen);
    const isDone = await ending.run(() => end(chosen));
    onClose();
    onEnd?.();
    if (isDone) toast(links.ended);
  };
  return (
    <>
      {link && (
        <ConfirmDialog
          title={links.endTitle(toSafeName(link.name))}
          action={links.end}
          busy={isBusy}
          onConfirm={() => endLink(link)}
          onCancel={() => isBusy || onClose()}
        >
          <p>{links.endBody}</p>
        </ConfirmDialog>
      )}
      {ending.status === "failed" && latest && (
        <ErrorNote error={ending.error} isResult retry={() => endLink(latest)} />
      )}
    </>
  );
}
