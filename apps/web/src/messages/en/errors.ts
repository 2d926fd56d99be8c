import type { ErrorCode } from "keeplight";

/** An error in the user's terms, and what to do about it. */
export interface Explanation {
  title: string;
  advice: string;
}

const unreadableResponse: Explanation = {
  title: "Unexpected response",
  advice: "A service sent something that can’t be read. Try again in a moment.",
};

const byCode: Partial<Record<ErrorCode, Explanation>> = {
  INVALID_CID: {
    title: "Invalid CID",
    advice: "CIDs start with “bafy”, “bafk” or “Qm”. Copy it again from the link you received.",
  },
  INVALID_ADDRESS: {
    title: "Invalid address",
    advice: "Use a 0x… address of 42 characters, or a 44-character Solana address.",
  },
  INVALID_CONDITION: { title: "Incomplete condition", advice: "Check the fields below and try again." },
  DUPLICATE_NAME: {
    title: "Two files have the same name",
    advice: "Rename one of them and add it again.",
  },
  FILE_TOO_LARGE: { title: "The file is too large", advice: "Encrypted files can be up to 64 GiB." },
  SOURCE_CHANGED: {
    title: "The file changed during the upload",
    advice: "Wait until no other program is writing to it, then try again.",
  },
  SOURCE_UNREADABLE: { title: "Can’t read the file", advice: "It may have been moved. Add it again." },
  ABORTED: { title: "Cancelled", advice: "Nothing more was sent. You can retry at any time." },
  TIMEOUT: { title: "The request timed out", advice: "Check your connection, then try again." },
  NETWORK: { title: "Network unreachable", advice: "Check your connection, then try again." },
  SIGNATURE_REJECTED: {
    title: "Signature rejected",
    advice: "Signing in is free and can’t move your funds. Connect your account’s wallet, try again and sign in it.",
  },
  INVALID_SIGNATURE: {
    title: "Invalid signature",
    advice: "Check that your wallet uses the connected account, then try again.",
  },
  NODES_FAILED: {
    title: "Not enough key nodes responded",
    advice: "Three of five are required. Try again in a moment.",
  },
  CID_NOT_FOUND: {
    title: "No key for this file",
    advice: "It may not be encrypted, or its key was never saved.",
  },
  CANNOT_DECRYPT: {
    title: "Can’t decrypt the file",
    advice: "The key is wrong, or the stored file is damaged. Ask its owner to upload it again.",
  },
  CANNOT_RECOVER_KEY: {
    title: "Can’t recover the file’s key",
    advice: "The parts from the key nodes don’t match. Try again in a moment.",
  },
  NOT_VERIFIED: {
    title: "Can’t verify the file",
    advice: "No gateway sent what proves its bytes, so nothing was opened. Try again later.",
  },
  TOO_MANY_ROWS: {
    title: "Not everything is shown",
    advice: "This list has more than 100,000 entries, the most that are shown here.",
  },
  KEY_NOT_PROVED: {
    title: "Too few key nodes agree to open parts of the file",
    advice: "Four of five are required for that. Open the whole file instead, which takes three.",
  },
  SHARDS_NOT_SAVED: {
    title: "Uploaded, but its key isn’t saved yet",
    advice: "Press Retry to finish, now or after you sign in again.",
  },
  CANNOT_WRITE: { title: "Browser storage is full", advice: "Free some disk space, then try again." },
  SESSION_ENDED: { title: "Your session has ended", advice: "Sign in again." },
  SESSION_UNFINISHED: {
    title: "Something isn’t complete",
    advice: "Signing out would lose it. Resume or discard it first.",
  },
  INVALID_LINK: { title: "This link is damaged", advice: "Copy the whole link again from the message you received." },
  NOT_OWNER: { title: "Only the owner can change this", advice: "Sign in with the account that added it." },
  INVALID_RESPONSE: unreadableResponse,
  INVALID_JSON: unreadableResponse,
  UNEXPECTED_MESSAGE: {
    title: "Unusual request for a signature",
    advice: "A service asked to sign something other than a sign-in. Nothing was signed.",
  },
  UNSUPPORTED: {
    title: "That isn’t possible here",
    advice: "This browser, or the gateway, can’t do that.",
  },
  JOURNAL_CLOSED: {
    title: "This site’s data was cleared in your browser",
    advice: "Reload the page and sign in, then add your files again.",
  },
  JOURNAL_ENTRY_BUSY: { title: "In progress in another tab", advice: "Continue there, or close that tab." },
  COMMITMENT_MISMATCH: {
    title: "The key doesn’t match this file",
    advice: "The link or the folder names another key. Ask the person who sent it for a new link.",
  },
  PROOF_NOT_READY: {
    title: "No proof yet",
    advice: "Available once the file is in a storage deal.",
  },
  PAYMENT_REJECTED: {
    title: "Request rejected in your wallet",
    advice: "Nothing was paid. Press Pay again and approve it in your wallet.",
  },
  INSUFFICIENT_FUNDS: {
    title: "Your balance is too low",
    advice: "It must cover the amount and the network fee. Pay with another token, or add funds.",
  },
  NO_ROOM: {
    title: "Not enough storage",
    advice: "Delete files, buy storage, or pay for this upload.",
  },
  PAYMENT_ABOVE_LIMIT: {
    title: "The price has gone up",
    advice: "Nothing was paid. Check the new price, then pay again.",
  },
  PAYMENT_NOT_TAKEN: {
    title: "The payment was not accepted",
    advice: "Press Retry: it checks the blockchain first, so you won’t pay twice.",
  },
  PAID_NOT_STORED: {
    title: "Paid, but not stored yet",
    advice: "Press Retry to send the file again; you won’t pay twice.",
  },
  UNEXPECTED_PAYMENT: {
    title: "Unusual payment request",
    advice: "The service asked for something other than the agreed payment. Nothing was paid.",
  },
  WRONG_CHAIN: {
    title: "Wrong network",
    advice: "Switch your wallet to the selected network, then try again.",
  },
  TOKEN_NOT_SUPPORTED: { title: "Token not supported", advice: "Choose another token or network." },
  PAYMENT_TIMEOUT: {
    title: "Payment not confirmed yet",
    advice: "The transaction is pending. Press Check again; you won’t pay twice.",
  },
  PAYMENT_REVERTED: {
    title: "Payment failed on chain",
    advice: "Only the network fee was charged. Check your balance, then try again.",
  },
  TICKER_FAILED: {
    title: "Price unavailable",
    advice: "Pay with a US dollar token, or try again later.",
  },
};

/** What the kit's errors mean. Errors without an entry show their own message. */
export const errors = {
  byCode,
  unknown: "Something went wrong",
  offline: { title: "You’re offline", advice: "Try again once you’re connected." },
  walletRejected: { title: "Request rejected in your wallet", advice: "Try again and approve it in your wallet." },
  noAccess: {
    title: "You have no access to this file",
    advice: "Ask its owner to share it with your address, then try again.",
  },
  badName: {
    title: "This name can’t be used",
    advice:
      "Names have up to 255 characters, not only spaces or dots, and no invisible control characters. Change the name, then add it again.",
  },
  partlySaved: "Partly saved",
  nodesUpdated: (done: number, failed: number | undefined) =>
    `${done} of 5 key nodes updated; ${failed === undefined ? "the others" : `node ${failed}`} didn’t respond.`,
  wrongBytes: {
    title: "The gateway sent the wrong data",
    advice: "It doesn’t match its CID, so it isn’t used. Try again in a moment.",
  },
  wrongUpload: {
    title: "The upload arrived damaged",
    advice: "What is stored isn’t what was sent. Try again in a moment.",
  },
  overQuota: { title: "Not enough storage", advice: "Delete files, or buy storage, then try again." },
  sessionExpired: { title: "Session expired", advice: "Lock, then sign in again." },
  notFound: { title: "Not found", advice: "Check the CID." },
  tooManyRequests: { title: "Too many requests", advice: "Wait a minute, then try again." },
  serviceProblem: "The service has a problem",
  serviceStatus: (status: number) => `It responded with status ${status}. Try again in a moment.`,
};
