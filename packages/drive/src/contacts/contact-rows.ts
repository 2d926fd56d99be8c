import { checkAddress } from "keeplight/parts";
import { trim } from "../fields.ts";
import { type ContactFacts, isStamp, type Register } from "../state.ts";

// Contacts, as the list of a drive has them: an array each.

/** Longest name and note of a contact, in characters. */
export const MAX_CONTACT_NAME = 100;
export const MAX_CONTACT_NOTE = 1_000;

type ContactEntry = readonly [address: string, item: Register<ContactFacts | null>];

/** Returns address, stamp, name and note; of a removed contact address and stamp. */
export function encodeContact([address, [facts, stamp]]: ContactEntry): unknown[] {
  return trim([address, stamp, facts ? facts.name : null, facts?.note || null]);
}

/** Returns `undefined` for anything but what {@link encodeContact} returned. */
export function parseContact(row: unknown): ContactEntry | undefined {
  if (!Array.isArray(row)) return undefined;
  const [address, stamp, name = null, note = null] = row as unknown[];
  if (!isCheckedAddress(address) || !isStamp(stamp)) return undefined;
  if (name === null) return note === null ? [address, [null, stamp]] : undefined;
  if (!isText(name, MAX_CONTACT_NAME)) return undefined;
  if (note !== null && !isText(note, MAX_CONTACT_NOTE)) return undefined;
  return [address, [{ name, note: note ?? "" }, stamp]];
}

const isText = (value: unknown, max: number): value is string =>
  typeof value === "string" && value !== "" && value.length <= max;

/** Whether an address is written as the SDK writes it: no two keys of a map are the same address. */
function isCheckedAddress(value: unknown): value is string {
  try {
    return checkAddress(value) === value;
  } catch {
    return false;
  }
}
