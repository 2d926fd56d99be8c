import { formatCount } from "../format.ts";
import { type Counts, isOne, listWork } from "./uploads.ts";

/** Texts of the session that lasts. */
export const session = {
  lock: "Lock",
  lasts: "Stay signed in for",
  durations: { hour: "1 hour", day: "1 day", week: "7 days", month: "30 days" },
  until: (time: string) => `Signed in until ${time}.`,
  untilShort: (time: string) => `Until ${time}`,
  lockHint: "Lock ends the session in all tabs. What isn’t complete stays in this browser, encrypted.",
  signOut: "Sign out",
  signOutHint: "Sign out also removes everything this browser keeps of your account. Your files stay stored.",
  lockTitle: "Lock now?",
  switchTitle: "Change accounts now?",
  switch: "Change accounts",
  signOutTitle: "Sign out and discard unfinished work?",
  discardAndSignOut: "Discard and sign out",
  incomplete: (counts: Counts) => `${listWork(counts)} ${isOne(counts) ? "is" : "are"} not complete.`,
  unsaved: "Your latest changes to files, folders or contacts are only in this browser.",
  lostBySignOut:
    "Signing out deletes what is needed to resume. Keys that aren’t saved are lost. Lock instead to keep it.",
  unsent: (count: number) =>
    `${formatCount(count, { one: "file", other: "files" })} not sent yet. You’ll need to add ${count === 1 ? "it" : "them"} again.`,
  walletChanged: (wallet: string, account: string) =>
    `Your wallet now uses ${wallet}. You’re still signed in as ${account}.`,
  signInAs: (account: string) => `Sign in as ${account}`,
  otherTab: (account: string) => `Another tab has signed in ${account}.`,
  goOn: (account: string) => `Continue as ${account}`,
  connectTitle: "Connect your wallet",
  connectHint: (account: string) => `Only the wallet of ${account} can do this.`,
  otherWallet: (wallet: string, account: string) =>
    `This wallet uses another account, ${wallet}. Switch it to ${account}, or choose another wallet.`,
  yourWallet: "your wallet",
};
