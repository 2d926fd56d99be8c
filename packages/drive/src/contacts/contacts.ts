import { checkAddress, findTextProblem, invalidOption, isOptions } from "keeplight/parts";
import type { Core } from "../core.ts";
import { type ContactFacts, type ContactsState, emptyState, type Register } from "../state.ts";
import { MAX_CONTACT_ENS, MAX_CONTACT_NAME, MAX_CONTACT_NOTE } from "./contact-rows.ts";
import { MAX_CONTACTS } from "./merge-contacts.ts";

/** An address that the account has named. Nobody else can name one: no link and no message does. */
export interface Contact {
  /** Address of an account: that of an EVM chain in lower case. */
  address: string;
  /** What the account calls it. Two contacts may have one name. */
  name: string;
  /** What the account has noted of it; empty if that is nothing. */
  note: string;
  /**
   * ENS name that led to the address when it was saved; missing if there is none. The drive does not look it up: it may lead
   * elsewhere by now.
   */
  ens?: string | undefined;
}

/** Options of {@link Contacts.setContact}. */
export interface ContactOptions {
  /** At most 100 characters. */
  name: string;
  /** At most 1,000 characters. @default none */
  note?: string | undefined;
  /** ENS name that the address was looked up by, normalised (ENSIP-15); at most 255 characters. @default none */
  ens?: string | undefined;
}

/** The names that the account has given to addresses, as its drive keeps them: all of its devices have them. */
export interface Contacts {
  /** Lists the contacts, by name. */
  listContacts(): Contact[];
  /**
   * Names an address, or replaces the name, the note and the ENS name that it has.
   *
   * @throws `INVALID_ADDRESS`; `INVALID_OPTION` for a name, a note or an ENS name that is too long, or has control characters or marks that
   * turn the direction of text, and for more than 10,000 contacts, removed ones included
   */
  setContact(address: string, options: ContactOptions): Promise<Contact>;
  /** Removes a contact. What is shared with its address stays shared. @throws `INVALID_ADDRESS`, `INVALID_OPTION` */
  removeContact(contact: Contact | string): Promise<void>;
}

/** @param assertOpen - throws once the drive is closed */
export function createContacts(core: Core, assertOpen: () => void): Contacts {
  const getKnown = (): ContactsState => core.state.contacts ?? none;
  let sorted: { of: ContactsState; contacts: readonly Contact[] } = { of: none, contacts: [] };

  function sortContacts(): readonly Contact[] {
    const of = getKnown();
    if (of !== sorted.of) sorted = { of, contacts: [...of].flatMap((each) => describe(...each) ?? []).sort(compare) };
    return sorted.contacts;
  }

  return {
    listContacts: () => [...sortContacts()],
    async setContact(address, options) {
      if (!isOptions(options)) throw invalidOption("options", "an object");
      const checked = checkAddress(address);
      const name = checkText("name", options.name, MAX_CONTACT_NAME);
      if (name === "") throw invalidOption("name", "a name that is not empty");
      const ens = checkText("ens", options.ens ?? "", MAX_CONTACT_ENS);
      const facts = {
        name,
        note: checkText("note", options.note ?? "", MAX_CONTACT_NOTE),
        ...(ens !== "" && { ens }),
      };
      assertOpen();
      await core.change((stamp) => {
        const known = getKnown();
        if (!known.has(checked) && known.size >= MAX_CONTACTS)
          throw invalidOption("address", `one of at most ${MAX_CONTACTS} contacts, removed ones included`);
        return [toChange(checked, [facts, stamp]), undefined];
      });
      return { address: checked, ...facts };
    },
    async removeContact(contact) {
      const address = checkAddress(typeof contact === "string" ? contact : contact?.address);
      assertOpen();
      await core.change((stamp) => {
        if (!getKnown().get(address)?.[0]) throw invalidOption("contact", "a contact: its address, or what was listed");
        return [toChange(address, [null, stamp]), undefined];
      });
    },
  };
}

const none: ContactsState = new Map();

const toChange = (address: string, item: Register<ContactFacts | null>) => {
  return { ...emptyState, contacts: new Map([[address, item]]) };
};

/** Returns text as a drive stores it: composed (NFC), without spaces at the ends. Throws `INVALID_OPTION`. */
function checkText(option: "name" | "note" | "ens", text: unknown, max: number): string {
  if (typeof text !== "string") throw invalidOption(option, "a string");
  const composed = text.normalize("NFC").trim();
  const problem = composed.length > max ? `is longer than ${max} characters` : findTextProblem(composed);
  if (problem !== undefined) throw invalidOption(option, `text that reads as it is written: it ${problem}`);
  return composed;
}

const collator = new Intl.Collator(undefined, { numeric: true });

function compare(one: Contact, other: Contact): number {
  return collator.compare(one.name, other.name) || (one.address < other.address ? -1 : 1);
}

/** What was listed of contacts: what did not change stays the same object. */
const described = new WeakMap<Register<ContactFacts | null>, Contact>();

/** Another program may have written text that no call accepts: it is not shown, the address is. */
function describe(address: string, item: Register<ContactFacts | null>): Contact | undefined {
  const [facts] = item;
  const known = described.get(item);
  if (known || !facts) return known;
  const isReadable = (text: string) => findTextProblem(text) === undefined;
  const name = isReadable(facts.name) ? facts.name : address;
  const note = isReadable(facts.note) ? facts.note : "";
  const ens = facts.ens !== undefined && isReadable(facts.ens) ? facts.ens : undefined;
  const shown = Object.freeze({ address, name, note, ...(ens !== undefined && { ens }) });
  described.set(item, shown);
  return shown;
}
