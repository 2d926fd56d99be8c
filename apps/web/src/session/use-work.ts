import { useUnfinished } from "@keeplight/react";
import type { Counts } from "../messages/en/uploads.ts";
import { useAppPayment } from "../storage/payment-provider.tsx";
import { countInterrupted } from "../uploads/interrupted.tsx";
import { hasUnsavedKeys } from "../uploads/tray-entries.ts";
import { useUploadLists } from "../uploads/use-upload-lists.ts";
import { useSession } from "./session.ts";

/** What is not complete: what the journal has, and how many files it has not, as there is none. */
export function useWork(): { counts: Counts; unsent: number } {
  const { added, encrypted, open } = useUploadLists();
  const payment = useAppPayment();
  const { state } = useUnfinished();
  const { journal } = useSession();
  const interrupted = countInterrupted(state.value ?? []);
  const unsaved = [...added.uploads, ...encrypted.uploads].filter(({ state }) => hasUnsavedKeys(state));
  const [one, other, { running, waiting: unstarted }] = [added.total.count, encrypted.total.count, open.total.count];
  const waiting = one.waiting + other.waiting + running + unstarted;
  return {
    counts: {
      uploads: one.running + other.running + unsaved.length + interrupted.uploads,
      files: (journal ? waiting : 0) + interrupted.files,
      payments: (payment.state.status === "running" ? 1 : 0) + interrupted.payments,
      changes: interrupted.changes,
    },
    unsent: journal ? 0 : waiting,
  };
}
