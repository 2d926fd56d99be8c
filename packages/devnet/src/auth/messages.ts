import { randomUUID } from "node:crypto";
import { isSignedBy } from "./signatures.ts";

/** Messages stored per address, so that a loop over all nodes can continue after the first one used its message. */
const MAX_MESSAGES = 4;

interface Message {
  text: string;
  usedBy: Set<string>;
}

/** Messages to sign, and which of them each user has accepted already. */
export interface MessageBook {
  /** Returns the message that `address` signs next; it stays the same until it is used. */
  current(address: string): string;
  /**
   * Returns whether `signature` is over a message of `address` that `user` has not accepted before; if so, `user` does
   * not accept it again.
   */
  accept(address: string, signature: string, user: string): boolean;
  /** The same for all users at once: none of them accepts the message again. */
  spend(address: string, signature: string): boolean;
}

/** Creates an empty book; each message is `prefix` followed by an id. Addresses are normalized. */
export function createMessageBook(prefix: string): MessageBook {
  const byAddress = new Map<string, Message[]>();

  const find = (address: string, signature: string): Message | undefined =>
    byAddress.get(address)?.find(({ text }) => isSignedBy(address, text, signature));

  return {
    current(address) {
      const messages = byAddress.get(address) ?? [];
      const last = messages.at(-1);
      if (last && last.usedBy.size === 0) return last.text;
      const text = prefix + randomUUID();
      byAddress.set(address, [...messages.slice(1 - MAX_MESSAGES), { text, usedBy: new Set() }]);
      return text;
    },
    accept(address, signature, user) {
      const message = find(address, signature);
      if (!message || message.usedBy.has(user)) return false;
      message.usedBy.add(user);
      return true;
    },
    spend(address, signature) {
      const message = find(address, signature);
      if (!message || message.usedBy.size > 0) return false;
      const rest = byAddress.get(address)?.filter((other) => other !== message) ?? [];
      byAddress.set(address, rest);
      return true;
    },
  };
}
