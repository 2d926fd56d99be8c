import type { Contact } from "@keeplight/drive";

const ADDRESS = /^(0x[0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{44})$/;

/** Whether text is the address that nobody has: a form that was not filled in, or what a name without an address leads to. */
export const isZeroAddress = (text: string): boolean => /^0x0{40}$/i.test(text);

/**
 * Whether text is a whole address, so that it is one to share with, and no part of a name. Its checksum is checked when it is
 * used.
 */
export const isAddress = (text: string): boolean => ADDRESS.test(text) && !isZeroAddress(text);

/** Returns the contacts whose name, ENS name or address contains a text, in any case; all of them for an empty one. */
export function findContacts(contacts: readonly Contact[], text: string): Contact[] {
  const part = fold(text.trim());
  return contacts.filter(({ name, ens = "", address }) =>
    [name, ens, address].some((each) => fold(each).includes(part)),
  );
}

const fold = (text: string) => text.normalize("NFC").toLowerCase();
