import { useUnfinished, useUpload, useUploadEncrypted } from "@keeplight/react";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import { useMessages } from "../messages/language.ts";
import { useAppPayment } from "../storage/payment-provider.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { hasUnsavedKeys } from "../uploads/tray-entries.ts";
import { SessionContext, useSession } from "./session.ts";

/** Asks before the page is left, or the account signed out, while work is under way or keys are unsaved. */
export function LeaveGuard({ children }: { children: ReactNode }) {
  const session = useSession();
  const [asking, setAsking] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const guarded = useMemo(
    () => ({ ...session, disconnect: isBusy ? () => setAsking(true) : session.disconnect }),
    [session, isBusy],
  );
  return (
    <SessionContext.Provider value={guarded}>
      {children}
      <BusyWatch onChange={setBusy} />
      {asking && <LeaveDialog onLeave={session.disconnect} onStay={() => setAsking(false)} />}
    </SessionContext.Provider>
  );
}

/** Renders at each progress, which its neighbours need not. */
function BusyWatch({ onChange }: { onChange: (isBusy: boolean) => void }) {
  const { counts, unsent } = useWork();
  const isBusy = Object.values(counts).some((count) => count > 0) || unsent > 0;
  useEffect(() => {
    onChange(isBusy);
    if (!isBusy) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", warn);
    return () => window.removeEventListener("beforeunload", warn);
  }, [isBusy, onChange]);
  return null;
}

function LeaveDialog({ onLeave, onStay }: { onLeave: () => void; onStay: () => void }) {
  const { uploads: text } = useMessages();
  const { journal } = useSession();
  const { counts, unsent } = useWork();
  const isKept = Object.values(counts).some((count) => count > 0);
  return (
    <ConfirmDialog title={text.leaveTitle} action={text.leave} onConfirm={onLeave} onCancel={onStay}>
      {isKept && (
        <p>
          {text.leaveWork(counts)} {journal ? text.leaveKept : text.noJournal}
        </p>
      )}
      {unsent > 0 && <p>{text.leavePublic(unsent)}</p>}
    </ConfirmDialog>
  );
}

/** What is under way: what can be continued after return, and how many files cannot, as there is no journal. */
function useWork() {
  const encrypted = useUploadEncrypted();
  const open = useUpload();
  const payment = useAppPayment();
  const { state } = useUnfinished();
  const { journal } = useSession();
  const resuming = (state.value ?? []).filter(({ state }) => state.status === "running" || state.status === "waiting");
  const of = (isKind: (kind: string) => boolean) => resuming.filter(({ kind }) => isKind(kind)).length;
  const unsaved = encrypted.uploads.filter(({ state }) => hasUnsavedKeys(state));
  const { count } = encrypted.total;
  const waiting = count.waiting + open.total.count.running + open.total.count.waiting;
  return {
    counts: {
      uploads: count.running + unsaved.length + of((kind) => kind === "upload"),
      files: (journal ? waiting : 0) + of((kind) => kind === "queued"),
      payments: (payment.state.status === "running" ? 1 : 0) + of((kind) => kind === "payment"),
      changes: of((kind) => kind !== "upload" && kind !== "queued" && kind !== "payment"),
    },
    unsent: journal ? 0 : waiting,
  };
}
