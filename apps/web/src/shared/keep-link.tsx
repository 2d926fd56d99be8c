import { useInbox } from "@keeplight/react/drive";
import { explainError } from "../messages/explain-error.ts";
import { useMessages } from "../messages/language.ts";
import { Button } from "../ui/button.tsx";
import { useToast } from "../ui/toasts.tsx";
import { useAction } from "../ui/use-action.ts";
import { isReceivedBy } from "./link-fragment.ts";

/** Keeps a link for the account, on all of its devices. Nothing is offered while its drive is not open. */
export function KeepLink({ link }: { link: string }) {
  const { shared } = useMessages();
  const { state, receive } = useInbox();
  const toast = useToast();
  const keeping = useAction();
  if (state.status !== "ready") return null;
  const isKept = state.value.some((file) => isReceivedBy(file, link));
  const keep = () =>
    keeping.run(async () => {
      try {
        await receive(link);
        toast(shared.keptNow);
      } catch (error) {
        toast(explainError(error).title);
      }
    });
  return (
    <Button icon={isKept ? "check" : "plus"} disabled={isKept} busy={keeping.status === "busy"} onClick={keep}>
      {isKept ? shared.kept : shared.keep}
    </Button>
  );
}
