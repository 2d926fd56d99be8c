import type { Contact } from "@keeplight/drive";
import { useContacts } from "@keeplight/react/drive";
import { createContext, type ReactNode, useContext, useMemo } from "react";
import { shorten } from "../messages/format.ts";
import { toSafeName } from "../ui/file-name.tsx";

/** The names that the account has given to addresses. They come from its drive only, never from a link or a message. */
export interface ContactBook {
  /** By name. */
  contacts: readonly Contact[];
  find(address: string): Contact | undefined;
  /** Returns `Bob (0x742d…f44e)`, or the address alone if it has no name. */
  describe(address: string, shown?: string): string;
}

/** Where nobody is signed in, and until the drive is open, addresses have no names. */
const ContactBookContext = createContext(createBook([]));

const nobody: readonly Contact[] = [];

/** Follows the contacts once for all screens. */
export function ContactBookProvider({ children }: { children: ReactNode }) {
  const { state } = useContacts();
  const contacts = state.status === "ready" ? state.value : nobody;
  const book = useMemo(() => createBook(contacts), [contacts]);
  return <ContactBookContext.Provider value={book}>{children}</ContactBookContext.Provider>;
}

export function useContactBook(): ContactBook {
  return useContext(ContactBookContext);
}

/** Returns an address as the drive has it: those of EVM chains are the same in either case. */
export function normalizeAddress(text: string): string {
  return /^0x/i.test(text) ? text.toLowerCase() : text;
}

function createBook(contacts: readonly Contact[]): ContactBook {
  const byAddress = new Map(contacts.map((contact) => [contact.address, contact]));
  const find = (address: string) => byAddress.get(normalizeAddress(address));
  return {
    contacts,
    find,
    describe(address, shown = shorten(address, 6, 4)) {
      const contact = find(address);
      return contact ? `${toSafeName(contact.name)} (${shown})` : shown;
    },
  };
}
