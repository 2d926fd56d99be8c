import { type ErrorCode, isKeeplightError } from "keeplight";

/** What went wrong and what to do about it, for people. */
export interface Explanation {
  title: string;
  advice: string;
}

const explanations: Partial<Record<ErrorCode, Explanation>> = {
  INVALID_CID: {
    title: "That is not a content id",
    advice: "Content ids begin with “bafy”, “bafk” or “Qm”. Copy it again from the link you were given.",
  },
  INVALID_ADDRESS: {
    title: "That is not an address",
    advice: "Use a 0x… address of 42 characters, or a 44-character Solana address.",
  },
  INVALID_CONDITION: { title: "This condition is not complete", advice: "Check the fields below and try again." },
  DUPLICATE_NAME: {
    title: "Two files have the same name",
    advice: "Encrypted files are kept under their names alone. Rename one of them and add it again.",
  },
  FILE_TOO_LARGE: { title: "The file is too large", advice: "One encrypted file may have up to 64 GiB." },
  SOURCE_CHANGED: {
    title: "The file changed while it was read",
    advice: "Wait until nothing writes to it any more, then try again.",
  },
  SOURCE_UNREADABLE: { title: "The file cannot be read", advice: "It may have been moved. Add it again." },
  ABORTED: { title: "Cancelled", advice: "Nothing more was sent. Try again whenever you like." },
  TIMEOUT: { title: "The network took too long", advice: "Check your connection, then try again." },
  NETWORK: { title: "The network cannot be reached", advice: "Check your connection, then try again." },
  SIGNATURE_REJECTED: {
    title: "Your wallet did not sign",
    advice: "Signing proves that the address is yours and costs nothing. Try again and confirm in your wallet.",
  },
  INVALID_SIGNATURE: {
    title: "The signature was not accepted",
    advice: "Make sure that your wallet uses the account you connected, then try again.",
  },
  NODES_FAILED: {
    title: "Too few key nodes answered",
    advice: "Three of the five are needed. Try again in a moment.",
  },
  CID_NOT_FOUND: {
    title: "The key nodes do not know this file",
    advice: "It may not be encrypted, or its key was never saved.",
  },
  CANNOT_DECRYPT: {
    title: "The file cannot be opened",
    advice: "Its key is wrong, or the stored bytes are damaged. Ask whoever shared it to upload it again.",
  },
  CANNOT_RECOVER_KEY: {
    title: "The file's key cannot be put together",
    advice: "The key nodes' shards do not fit each other. Try again in a moment.",
  },
  SHARDS_NOT_SAVED: {
    title: "Stored, but its key is not saved on all nodes yet",
    advice: "Keep this page open and press Retry: it goes on where it stopped.",
  },
  CANNOT_WRITE: { title: "The browser's storage is full", advice: "Free some disk space, then try again." },
  PROOF_NOT_READY: {
    title: "No proof yet",
    advice: "The proof is made once a storage provider has sealed the file, some time after the upload.",
  },
  PAYMENT_REJECTED: {
    title: "You declined in your wallet",
    advice: "Nothing was paid. Press Pay again and confirm in your wallet.",
  },
  INSUFFICIENT_FUNDS: {
    title: "Your balance is too low",
    advice: "It has to cover the amount and the chain’s fee. Pay with another token, or add funds first.",
  },
  WRONG_CHAIN: {
    title: "Your wallet is on another chain",
    advice: "Switch it to the network you pay on, then try again.",
  },
  TOKEN_NOT_SUPPORTED: { title: "This token cannot be used here", advice: "Choose another token or network." },
  PAYMENT_TIMEOUT: {
    title: "The payment is not confirmed yet",
    advice: "It is on its way. Press Look again: nothing is paid twice.",
  },
  PAYMENT_REVERTED: {
    title: "The chain refused the payment",
    advice: "Nothing was taken but the chain’s fee. Check your balance, then try again.",
  },
  TICKER_FAILED: {
    title: "The coin's price is not known right now",
    advice: "Pay with a token in US dollars, or try again later.",
  },
};

/** Explains anything that was thrown. */
export function explainError(error: unknown): Explanation {
  if (!isKeeplightError(error)) {
    const rejected = typeof error === "object" && error !== null && "code" in error && error.code === 4001;
    if (rejected) return { title: "You declined in your wallet", advice: "Try again and confirm in your wallet." };
    return { title: "Something went wrong", advice: error instanceof Error ? error.message : String(error) };
  }
  if (error.code === "NODE_REFUSED" && /denied|not authori[sz]ed|cannot decrypt/i.test(error.message)) {
    return {
      title: "You have no access to this file",
      advice: "Ask its owner to share it with your address, then try again.",
    };
  }
  const { nodesDone } = error.details;
  if (Array.isArray(nodesDone)) {
    const done = nodesDone.length === 0 ? "None of the key nodes has" : `${nodesDone.length} of 5 key nodes have`;
    return { title: "It is only half done", advice: `${done} done it; the next one did not answer as it should.` };
  }
  const status = error.details["status"];
  if (status === 401 || status === 403) {
    return { title: "You are signed out", advice: "Disconnect, connect your wallet again, and repeat this." };
  }
  if (status === 404) return { title: "Not found", advice: "The network does not know this. Check the id." };
  if (status === 429) return { title: "Too many requests", advice: "Wait a minute, then try again." };
  if (typeof status === "number" && status >= 500) {
    return { title: "The service has a problem", advice: `It answered with status ${status}. Try again in a moment.` };
  }
  const known = explanations[error.code];
  if (known && error.code === "INVALID_CONDITION") return { ...known, advice: error.message };
  return known ?? { title: "That did not work", advice: error.message };
}
