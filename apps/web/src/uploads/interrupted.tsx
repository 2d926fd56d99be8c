import { type UnfinishedOperation, useUnfinished } from "@keeplight/react";
import { useState } from "react";
import type { Counts } from "../messages/en/uploads.ts";
import { useMessages } from "../messages/language.ts";
import { createPayer } from "../storage/upload-network.ts";
import { Button } from "../ui/button.tsx";
import { getFolder } from "./get-folder.ts";
import { InterruptedRow } from "./interrupted-row.tsx";
import { QueuedRow } from "./queued-row.tsx";
import { useAppUploads } from "./uploads-provider.tsx";
import { useAskPayer } from "./use-ask-payer.ts";
import { useResumed } from "./use-resumed.ts";

/** How many operations have rows; "Resume all" resumes the others, too. */
const MAX_ROWS = 30;

/** What an earlier page of this account has left open, with buttons to resume it. */
export function Interrupted({
  operations,
  hasTitle,
}: {
  operations: readonly UnfinishedOperation[];
  /** Unless what is around it says the same. */
  hasTitle: boolean;
}) {
  const { uploads: text } = useMessages();
  const { resumeAll } = useUnfinished();
  const { handles } = useAppUploads();
  const askPayer = useAskPayer();
  const onResumed = useResumed();
  const [isAsked, setAsked] = useState(false);
  const queued = operations.filter(isQueued);
  const rows = operations.filter((operation) => !isQueued(operation));
  const [elsewhere, offered] = [true, false].map((isBusy) =>
    queued.filter(({ worker }) => (worker === "elsewhere") === isBusy),
  );
  // They need their files again, which are in one choice with the others.
  const started = rows.filter((row) => row.kind === "upload" && getFolder(row) === undefined && !row.worker);
  const free = operations.filter(({ worker, state }) => worker === undefined && state.status !== "running");
  const resume = async () => {
    setAsked(true);
    const isPaid = free.some(({ kind, payPerUpload }) => kind === "payment" || payPerUpload);
    const payment = isPaid ? await askPayer() : undefined;
    // One after another, in response to the click: the browser asks for each file that it may not read any more.
    const results = await resumeAll({
      payment,
      getUploadPayer: payment && ((limit) => createPayer(limit, payment.signer)),
      getSource: async (operation) => {
        const { kind, names, sizes } = operation;
        const isUpload = kind === "upload" || kind === "queued";
        const files = isUpload && getFolder(operation) === undefined ? await handles.read(names, sizes) : [];
        return files.length > 0 ? files : undefined;
      },
    });
    setAsked(false);
    await onResumed(results);
  };
  return (
    <div className="interrupted">
      <div className="interrupted-head">
        {hasTitle && <h3>{text.interrupted(countInterrupted(operations))}</h3>}
        {operations.length > 1 && (
          <Button icon="retry" busy={isAsked} disabled={free.length === 0} onClick={resume}>
            {text.resumeAll}
          </Button>
        )}
      </div>
      <ul aria-label={text.interruptedList}>
        {[offered, elsewhere].map(
          (group, at) =>
            group &&
            group.length > 0 && (
              <QueuedRow key={at === 0 ? "here" : "elsewhere"} operations={group} started={started} />
            ),
        )}
        {rows.slice(0, MAX_ROWS).map((operation) => (
          <InterruptedRow key={operation.id} operation={operation} />
        ))}
      </ul>
      {rows.length > MAX_ROWS && <p className="quiet tray-note">{text.more(rows.length - MAX_ROWS)}</p>}
    </div>
  );
}

/** How many operations there are, by what they do. */
export function countInterrupted(operations: readonly UnfinishedOperation[]): Counts {
  const of = (isKind: (kind: string) => boolean) => operations.filter(({ kind }) => isKind(kind)).length;
  return {
    uploads:
      of((kind) => kind === "upload") + operations.filter(({ kind, folder }) => kind === "queued" && folder).length,
    files: operations.filter(isQueued).reduce((sum, { names }) => sum + names.length, 0),
    payments: of((kind) => kind === "payment"),
    changes: of((kind) => kind !== "upload" && kind !== "queued" && kind !== "payment"),
  };
}

/** Whether an operation is files that were not started; a folder has a row of its own. */
function isQueued({ kind, folder }: UnfinishedOperation): boolean {
  return kind === "queued" && folder === undefined;
}
