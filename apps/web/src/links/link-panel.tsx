import { useDrive } from "@keeplight/react/drive";
import { useMessages } from "../messages/language.ts";
import { useSession } from "../session/session.ts";
import { ErrorNote } from "../ui/error-note.tsx";
import { LinkForm } from "./link-form.tsx";
import type { LinkTarget } from "./use-create-link.ts";

/** Creates links that end, once the drive is open, which keeps them; otherwise says why there are none. */
export function LinkPanel({ target, onCreate }: { target: LinkTarget; onCreate: () => void }) {
  const { links } = useMessages();
  const { journal } = useSession();
  const { state, reload } = useDrive();
  if (!journal) return <p className="quiet">{links.noJournal}</p>;
  if (state.value) return <LinkForm target={target} onCreate={onCreate} />;
  if (state.status === "failed") {
    return (
      <>
        <p className="quiet">{links.noDrive}</p>
        <ErrorNote error={state.error} retry={reload} />
      </>
    );
  }
  return (
    <p className="quiet" aria-busy="true">
      {links.opening}
    </p>
  );
}
