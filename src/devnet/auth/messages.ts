import { randomUUID } from "node:crypto";
import { isSignedBy } from "./signatures.ts";

/** Signed messages kept per address, so that a loop over all nodes can go on after the first one used its message. */
const KEPT = 4;

interface Message {
  text: string;
  usedBy: Set<string>;
}

/** Messages to be signed, and who took which one already. */
export interface MessageBook {
  /** The message that `address` has to sign next: the same one until somebody used it. */
  current(address: string): string;
  /**
   * Whether `signature` is over a message of `address` that `user` has not accepted before; if so,
   * `user` will not accept it again.
   */
  accept(address: string, signature: string, user: string): boolean;
  /** The same for all users at once: nobody accepts the message again. */
  spend(address: string, signature: string): boolean;
}

/** Makes an empty book; each message is `opening` and an id. Addresses are normalized ones. */
export function createMessageBook(opening: string): MessageBook {
  const byAddress = new Map<string, Message[]>();

  const find = (address: string, signature: string): Message | undefined =>
    byAddress.get(address)?.find(({ text }) => isSignedBy(address, text, signature));

  return {
    current(address) {
      const messages = byAddress.get(address) ?? [];
      const last = messages.at(-1);
      if (last && last.usedBy.size === 0) return last.text;
      const text = opening + randomUUID();
      byAddress.set(address, [...messages.slice(1 - KEPT), { text, usedBy: new Set() }]);
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
