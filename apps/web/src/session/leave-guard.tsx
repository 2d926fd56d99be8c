import { isKeeplightError } from "keeplight";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import { useMessages } from "../messages/language.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { type Session, SessionContext, useSession } from "./session.ts";
import { useWork } from "./use-work.ts";

/** What would lose something. */
type Leaving = "lock" | "sign-out" | "switch";

/** Asks before something is lost: without a journal that is all work under way, with one only what signing out removes. */
export function LeaveGuard({ children }: { children: ReactNode }) {
  const session = useSession();
  const [leaving, setLeaving] = useState<Leaving>();
  const [isBusy, setBusy] = useState(false);
  const losesWork = isBusy && !session.journal;
  const guarded = useMemo((): Session => {
    if (losesWork) {
      const ask = (what: Leaving) => () => setLeaving(what);
      return { ...session, lock: ask("lock"), signOut: ask("sign-out"), switchAccount: ask("switch") };
    }
    if (!session.journal) return session;
    return {
      ...session,
      signOut(options) {
        setLeaving("sign-out");
        session.signOut(options);
      },
    };
  }, [session, losesWork]);
  // A question that was asked stays until it is answered, whatever is complete meanwhile.
  const isAsked = !session.journal || isKeeplightError(session.error, "SESSION_UNFINISHED");
  const leave = () => {
    setLeaving(undefined);
    if (leaving === "lock") session.lock();
    else if (leaving === "switch") session.switchAccount();
    else session.signOut({ discard: true });
  };
  return (
    <SessionContext.Provider value={guarded}>
      {children}
      <BusyWatch onChange={setBusy} />
      {leaving && isAsked && <LeaveDialog leaving={leaving} onLeave={leave} onStay={() => setLeaving(undefined)} />}
    </SessionContext.Provider>
  );
}

/** Renders at each progress, which its neighbours need not. */
function BusyWatch({ onChange }: { onChange: (isBusy: boolean) => void }) {
  const { journal } = useSession();
  const { counts, unsent } = useWork();
  const isBusy = Object.values(counts).some((count) => count > 0) || unsent > 0;
  useEffect(() => {
    onChange(isBusy);
    // What is in a journal goes on after a reload.
    if (!isBusy || journal) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", warn);
    return () => window.removeEventListener("beforeunload", warn);
  }, [isBusy, journal, onChange]);
  return null;
}

function LeaveDialog({ leaving, onLeave, onStay }: { leaving: Leaving; onLeave: () => void; onStay: () => void }) {
  const { session: text, uploads } = useMessages();
  const { journal, error } = useSession();
  const { counts, unsent } = useWork();
  const isUnsaved = isKeeplightError(error, "SESSION_UNFINISHED") && error.details.unsaved === true;
  const isCounted = Object.values(counts).some((count) => count > 0);
  const [title, action] =
    leaving === "lock"
      ? [text.lockTitle, text.lock]
      : leaving === "switch"
        ? [text.switchTitle, text.switch]
        : [text.signOutTitle, text.discardAndSignOut];
  return (
    <ConfirmDialog title={title} action={action} onConfirm={onLeave} onCancel={onStay}>
      <p>
        {isCounted && `${text.incomplete(counts)} `}
        {isUnsaved && `${text.unsaved} `}
        {journal ? text.lostBySignOut : uploads.noJournal}
      </p>
      {unsent > 0 && <p>{text.unsent(unsent)}</p>}
    </ConfirmDialog>
  );
}
