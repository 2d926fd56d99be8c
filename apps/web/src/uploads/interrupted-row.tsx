import { type ResumeOptions, type UnfinishedOperation, useUnfinished } from "@keeplight/react";
import { isKeeplightError, isUnfinished } from "keeplight";
import { useRef, useState } from "react";
import type { Messages } from "../messages/en.ts";
import { explainError } from "../messages/explain-error.ts";
import { formatBytes, formatPercent, formatTime } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { useIsSigning, useWalletName } from "../session/session.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { FileName, toSafeName } from "../ui/file-name.tsx";
import { Icon } from "../ui/icon.tsx";
import { ProgressBar } from "../ui/progress-bar.tsx";
import { getFolder } from "./get-folder.ts";
import { canPickFiles, pickFiles } from "./pick-files.ts";
import { useAppUploads } from "./uploads-provider.tsx";
import { useAskPayer } from "./use-ask-payer.ts";
import { useResume } from "./use-resume.ts";
import { useResumed } from "./use-resumed.ts";

/** The person has stated that the wallet sent nothing, so that it is asked again. */
const payAgain = "give-up";

/** One interrupted operation: what it is, how far it is, and what can be done about it. */
export function InterruptedRow({ operation }: { operation: UnfinishedOperation }) {
  const { uploads: text } = useMessages();
  const { abort, discard } = useUnfinished();
  const resume = useResume();
  const { handles } = useAppUploads();
  const askPayer = useAskPayer();
  const onResumed = useResumed();
  const input = useRef<HTMLInputElement>(null);
  const [asking, setAsking] = useState<"discard" | "pay">();
  const { id, kind, names, sizes, state, worker } = operation;
  const folder = getFolder(operation);
  const name = describeOperation(operation, text);
  const isBusy = state.status === "running" || state.status === "waiting";
  const error = state.status === "failed" ? state.error : undefined;
  // Nothing is left in the journal, only the error to read.
  const isOver = state.status === "failed" && state.isOver === true;
  const needsFile = isKeeplightError(error, "INVALID_SOURCE") || isKeeplightError(error, "SOURCE_CHANGED");
  // The wallet was asked, and nothing of it is on the chain.
  const isUnknown = isKeeplightError(error, "PAYMENT_UNKNOWN") && isUnfinished(error);

  const run = async (options: ResumeOptions) => {
    const result = await resume(operation, options);
    if (result) await onResumed([result]);
  };
  const pay = async (options: ResumeOptions) => {
    const payment = await askPayer();
    if (payment) await run({ ...options, payment });
  };
  const start = async () => {
    if (kind === "payment") return pay({});
    const source = kind === "upload" && folder === undefined ? await handles.read(names, sizes) : [];
    await run(source.length > 0 ? { source } : {});
  };
  const choose = async () => {
    if (folder !== undefined && input.current) input.current.webkitdirectory = true;
    if (folder !== undefined || !canPickFiles()) return input.current?.click();
    const { picked } = await pickFiles();
    if (picked.length > 0) await run({ source: picked.map(({ file }) => file) });
  };
  const confirm = async () => {
    setAsking(undefined);
    if (asking === "pay") await pay({ action: payAgain });
    else await discard(id);
  };
  return (
    <li className={`upload upload-${state.status === "failed" ? "failed" : "interrupted"}`}>
      <Icon
        name={folder !== undefined ? "folder" : kind === "payment" ? "wallet" : kind === "upload" ? "lock" : "people"}
        size={18}
      />
      <div className="upload-text">
        <p className="upload-name">
          <FileName>{name}</FileName>
        </p>
        <OperationStatus operation={operation} />
        {worker !== "elsewhere" && (
          <div className="upload-choices">
            {isBusy && <Button onClick={() => abort(id)}>{text.stop}</Button>}
            {!isBusy && needsFile && (
              <Button
                icon={folder === undefined ? "file" : "folder"}
                onClick={choose}
                aria-label={text.chooseFileOf(name)}
              >
                {folder === undefined ? text.chooseFile : text.chooseFolder}
              </Button>
            )}
            {!isBusy && !isOver && !needsFile && kind !== "unreadable" && (
              <Button icon="retry" onClick={start} aria-label={text.resumeOf(name)}>
                {text.resume}
              </Button>
            )}
            {!isBusy && isUnknown && <Button onClick={() => setAsking("pay")}>{text.payNow}</Button>}
          </div>
        )}
      </div>
      {worker !== "elsewhere" && !isBusy && (
        <IconButton
          icon={isOver ? "close" : "trash"}
          label={isOver ? text.dismiss(name) : text.discardOf(name)}
          onClick={() => (isOver ? discard(id) : setAsking("discard"))}
        />
      )}
      <input
        ref={input}
        type="file"
        multiple={names.length > 1}
        hidden
        onChange={({ currentTarget }) => {
          const files = Array.from(currentTarget.files ?? []);
          currentTarget.value = "";
          if (files.length > 0) void run({ source: files });
        }}
      />
      {asking && (
        <ConfirmDialog
          title={asking === "pay" ? text.payAgainTitle : text.discardTitle(name)}
          action={asking === "pay" ? text.payNow : text.discard}
          onConfirm={confirm}
          onCancel={() => setAsking(undefined)}
        >
          <p>{asking === "pay" ? text.payAgainBody : explainLoss(operation, text)}</p>
        </ConfirmDialog>
      )}
    </li>
  );
}

function OperationStatus({ operation }: { operation: UnfinishedOperation }) {
  const { kind, state, worker, sizes, startedAt, payPerUpload } = operation;
  const { uploads: text } = useMessages();
  const walletName = useWalletName();
  const isSigning = useIsSigning();
  if (worker === "elsewhere") return <p className="quiet">{text.otherTab}</p>;
  if (state.status === "waiting") return <p className="quiet">{text.waiting}</p>;
  if (state.status === "running") {
    const { fraction = 0 } = state.progress ?? {};
    const asksWallet = isSigning || (state.progress && "state" in state.progress && state.progress.state === "signing");
    return (
      <>
        <p className="quiet" role="status">
          {asksWallet ? text.confirm(walletName) : `${text.resuming} · ${formatPercent(fraction)}`}
        </p>
        <ProgressBar fraction={fraction} label={text.resuming} />
      </>
    );
  }
  if (state.status === "failed") {
    const { error } = state;
    if (isKeeplightError(error, "INVALID_SOURCE"))
      return <p className="quiet">{getFolder(operation) === undefined ? text.chooseAgain : text.chooseFolderAgain}</p>;
    if (isKeeplightError(error, "SOURCE_CHANGED")) return <p className="quiet">{text.changedFile}</p>;
    if (isKeeplightError(error, "PAYMENT_UNKNOWN")) return <p className="quiet">{text.notFoundOnChain}</p>;
    const { title, advice } = explainError(error);
    return <p className="quiet">{`${title}. ${advice}`}</p>;
  }
  const size = sizes.reduce<number>((sum, each) => sum + (each ?? 0), 0);
  const facts = [...(size > 0 ? [formatBytes(size)] : []), ...(startedAt > 0 ? [formatTime(startedAt)] : [])];
  const hint = payPerUpload ? [text.paidHint] : [];
  return <p className="quiet">{kind === "payment" ? text.paymentHint : [...facts, ...hint].join(" · ")}</p>;
}

function describeOperation(operation: UnfinishedOperation, text: Messages["uploads"]): string {
  const { kind, names } = operation;
  const folder = getFolder(operation);
  if (kind === "payment") return text.payment;
  if (folder !== undefined) return toSafeName(folder);
  const [first] = names;
  if (kind !== "upload" || first === undefined) return kind === "upload" ? text.list : text.kinds[kind];
  return toSafeName(names.length === 1 ? first : text.manyFiles(first, names.length - 1));
}

function explainLoss({ kind }: UnfinishedOperation, text: Messages["uploads"]): string {
  if (kind === "payment") return text.discardPayment;
  if (kind === "queued") return text.discardQueued;
  return kind === "upload" ? text.discardUpload : text.discardChange;
}
