import { formatCount, formatList } from "../format.ts";

const item = { one: "item", other: "items" };
const upload = { one: "upload", other: "uploads" };
const file = { one: "file", other: "files" };
const payment = { one: "payment", other: "payments" };
const operation = { one: "operation", other: "operations" };
const change = { one: "change", other: "changes" };

/** How many operations there are, by what they do. */
export interface Counts {
  uploads: number;
  /** That were not started. */
  files: number;
  payments: number;
  changes: number;
}

export function listWork({ uploads, files, payments, changes }: Counts): string {
  const parts = [
    uploads > 0 && formatCount(uploads, upload),
    files > 0 && formatCount(files, file),
    payments > 0 && formatCount(payments, payment),
    changes > 0 && formatCount(changes, change),
  ];
  return formatList(parts.filter((part) => part !== false));
}

export const isOne = ({ uploads, files, payments, changes }: Counts) => uploads + files + payments + changes === 1;

/** Texts of uploads, and of what was interrupted. */
export const uploads = {
  list: "Uploads",
  work: listWork,
  all: "All uploads",
  uploading: (count: number) => `Uploading ${formatCount(count, item)}`,
  complete: (count: number) => `${formatCount(count, upload)} complete`,
  failed: (count: number) => `${formatCount(count, upload)} failed`,
  cancelled: (count: number) => `${formatCount(count, upload)} cancelled`,
  result: (done: number, failed: number) => `${formatCount(done, upload)} complete, ${failed} failed`,
  ofSize: (percent: string, size: string) => `${percent} of ${size}`,
  rate: (rate: string, left: string) => `${rate}/s · ${left} left`,
  confirm: (wallet: string) => `Confirm in ${wallet}…`,
  cancelAll: "Cancel all",
  clear: "Clear",
  retry: "Retry",
  retryAll: "Retry all",
  collapse: "Collapse",
  expand: "Expand",
  more: (count: number) => `and ${formatCount(count, { one: "more", other: "more" })}`,
  cancel: (name: string) => `Cancel ${name}`,
  dismiss: (name: string) => `Dismiss ${name}`,
  openFile: (name: string) => `Open ${name}`,
  linkTo: (name: string) => `link to ${name}`,
  waiting: "Waiting",
  starting: "Starting",
  stored: "Stored",
  cancelledOne: "Cancelled",
  phases: { preparing: "Encrypting", uploading: "Uploading", "saving-keys": "Saving key", downloading: "Downloading" },
  keySaved: (nodes: number) => `Key saved on ${nodes} of 5 nodes`,
  repair: "Repair",
  noJournal: "This browser can’t keep interrupted work. Stay on this page until it is done.",
  clearTitle: "Clear uploads whose keys aren’t saved?",
  clearBody: "They stay open under “Interrupted”. Resume them there, or discard them.",
  interrupted: (counts: Counts) => `${listWork(counts)} ${isOne(counts) ? "was" : "were"} interrupted`,
  interruptedList: "Interrupted",
  resume: "Resume",
  resumeOf: (name: string) => `Resume ${name}`,
  resumeAll: "Resume all",
  discard: "Discard",
  discardOf: (name: string) => `Discard ${name}`,
  stop: "Stop",
  chooseFile: "Choose file",
  chooseFolder: "Choose folder",
  chooseFolderAgain: "Choose the same folder again to continue.",
  chooseFileOf: (name: string) => `Choose ${name} again`,
  chooseAgain: "Choose the same file again to continue.",
  queued: (count: number) => `${formatCount(count, file)} not uploaded yet`,
  queuedMissing: (count: number) =>
    `${formatCount(count, { one: "file was", other: "files were" })} not in your selection, or changed since you added ${count === 1 ? "it" : "them"}.`,
  chooseQueued: (count: number): string => (count === 1 ? "Choose file again" : "Choose files again"),
  changedFile:
    "This isn’t the file that was being uploaded: its size or date differs. Choose the original, or discard.",
  otherTab: "In progress in another tab",
  resuming: "Resuming",
  payment: "Payment",
  paymentHint: "Checks the blockchain before anything is signed.",
  notFoundOnChain:
    "The payment is not on the blockchain. If your wallet still shows the request, reject it there first.",
  paymentOpen: "An earlier payment was interrupted. Resume or discard it under “Interrupted” first.",
  paymentStopped: "No longer waiting. If you confirmed it in your wallet, it still goes through; you won’t pay twice.",
  continuePayment: "Continue payment",
  payNow: "Pay again",
  payAgainTitle: "Did you reject the payment in your wallet?",
  payAgainBody:
    "Pay again only if your wallet has not sent it and no longer shows the request. Otherwise you may pay twice.",
  payFor: "Pay for this upload",
  payForOf: (name: string) => `Pay for the upload of ${name}`,
  payForTitle: (name: string) => `Pay for ${name}?`,
  payForLoading: "Getting the price…",
  payForPrice: (price: string, size: string, days: number) =>
    `${price} for ${size}, stored for ${formatCount(days, { one: "day", other: "days" })}. You pay in USDC on Base, without a network fee, by one signature.`,
  payForHint:
    "The file is stored outside your plan: it doesn’t use its space, can’t be deleted, and isn’t in your account’s list. Keep its link.",
  payPrice: (price: string) => `Pay ${price}`,
  paid: (price: string) => `Paid ${price}`,
  paidBefore: "Paid before",
  storedUntil: (date: string) => `stored until ${date}`,
  receiptOf: (name: string) => `receipt for ${name}`,
  paidHint: "Paid for by itself; you won’t pay twice.",
  manyFiles: (first: string, more: number) => `${first} and ${more} more`,
  kinds: {
    share: "Sharing a file",
    revoke: "Revoking access",
    conditions: "Saving rules",
    transfer: "Transferring a file",
    repair: "Repairing a key",
    delegate: "Changing delegates",
    save: "Saving a key",
    unreadable: "Damaged entry",
    download: "Download",
    decrypt: "Download",
    queued: "Upload",
  },
  discardTitle: (name: string) => `Discard ${name}?`,
  discardUpload:
    "If its bytes are stored already, nobody can open them: the key is deleted. The file on your device stays.",
  discardQueued: "Nothing of this is uploaded. Your files stay on your device.",
  discardPayment:
    "If the transaction was sent, it can still go through, and you would not see it here. Nothing is refunded.",
  discardChange: "Some key nodes may keep the change, and others not. Make the change again to be sure.",
  completed: (count: number) => `${formatCount(count, operation)} completed`,
};
