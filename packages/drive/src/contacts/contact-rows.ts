import { checkAddress } from "keeplight/parts";
import { trim } from "../fields.ts";
import { type ContactFacts, isStamp, type Register } from "../state.ts";

// Contacts, as the list of a drive has them: an array each.

/** Longest name, note and ENS name of a contact, in characters. */
export const MAX_CONTACT_NAME = 100;
export const MAX_CONTACT_NOTE = 1_000;
export const MAX_CONTACT_ENS = 255;

type ContactEntry = readonly [address: string, item: Register<ContactFacts | null>];

/** Returns address, stamp, name, note and ENS name; of a removed contact address and stamp. */
export function encodeContact([address, [facts, stamp]]: ContactEntry): unknown[] {
  return trim([address, stamp, facts ? facts.name : null, facts?.note || null, facts?.ens ?? null]);
}

/** Returns `undefined` for anything but what {@link encodeContact} returned. */
export function parseContact(row: unknown): ContactEntry | undefined {
  if (!Array.isArray(row)) return undefined;
  const [address, stamp, name = null, note = null, ens = null] = row as unknown[];
  if (!isCheckedAddress(address) || !isStamp(stamp)) return undefined;
  if (name === null) return note === null && ens === null ? [address, [null, stamp]] : undefined;
  if (!isText(name, MAX_CONTACT_NAME)) return undefined;
  if (note !== null && !isText(note, MAX_CONTACT_NOTE)) return undefined;
  if (ens !== null && !isText(ens, MAX_CONTACT_ENS)) return undefined;
  return [address, [{ name, note: note ?? "", ...(ens !== null && { ens }) }, stamp]];
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
