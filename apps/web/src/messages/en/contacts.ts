import { formatCount } from "../format.ts";

/** Texts of contacts, and of fields that one is chosen in. */
export const contacts = {
  title: "Contacts",
  lead: "Give wallet addresses names, and choose them by name when you share. The list is encrypted, on all your devices, and only you see it.",
  add: "Add contact",
  edit: (who: string) => `Edit ${who}`,
  remove: (who: string) => `Delete ${who}`,
  removed: (name: string) => `Deleted ${name}`,
  save: "Save",
  saved: (name: string) => `Saved ${name}`,
  address: "Wallet address",
  addressHint: "Compare all of it with what they sent you.",
  addressOf: (who: string) => `address of ${who}`,
  invalid: "The address has a typing error. Copy it once more.",
  known: (name: string) => `You’ve named this address already: ${name}`,
  nameHint: "Only you see it. Up to 100 characters.",
  note: "Note (optional)",
  noteHint: "For example, how you checked the address.",
  hidden: "Remove characters that can’t be seen, or that reorder text.",
  searchLabel: "Search contacts",
  emptyTitle: "No contacts yet",
  emptyHint: "Name an address once, then type the name wherever an address is asked for.",
  noMatchTitle: "No matching contacts",
  noMatchHint: "Try a different name or address.",
  noJournal:
    "This browser keeps nothing for this site, for example in a private window, so there are no contacts here.",
  choose: "Choose a contact, or paste a whole address.",
  unknown: "Not in your contacts",
  matches: (count: number) => formatCount(count, { one: "contact", other: "contacts" }),
};
