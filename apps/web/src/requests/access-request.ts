import { getAddress } from "ethers/address";
import { checkAddress, checkCid } from "keeplight/parts";
import { isZeroAddress } from "../contacts/find-contacts.ts";
import { toSafeName } from "../ui/file-name.tsx";

/** Somebody's wish to open a file of another account, as a link says it. Nobody has verified who wrote it. */
export interface AccessRequest {
  /** Content id of the file, or of the list that an encrypted folder is opened by. */
  cid: string;
  /** Address of an account: that of an EVM chain in lower case. */
  from: string;
  /** At most {@link MAX_REQUEST_NOTE} characters, in one line; empty if there is none. */
  note: string;
}

/** Longest note, in characters. */
export const MAX_REQUEST_NOTE = 200;

/** Longest fragment that is read: a note of characters of four bytes, which are 12 in a URL, and the rest. */
const MAX_FRAGMENT = 3_000;

/** How a fragment begins. */
const PLACE = "#/request/";

/** Marks above and below one letter that a note keeps: many of them would cover what is around it. */
const MANY_MARKS = /(\p{M}{3})\p{M}+/gu;

/** Returns the fragment of a request. It has no secret. Throws for an invalid content id or address. */
export function formatAccessRequest({ cid, from, note }: AccessRequest): string {
  const address = checkAddress(from);
  const fields = new URLSearchParams({ from: address.startsWith("0x") ? getAddress(address) : address });
  const clean = cleanNote(note);
  if (clean !== "") fields.set("note", clean);
  return `${PLACE}${checkCid(cid)}?${fields}`;
}

/** Reads a fragment, which anyone may have written; `undefined` for one that no call of {@link formatAccessRequest} returns. */
export function parseAccessRequest(fragment: string): AccessRequest | undefined {
  if (!fragment.startsWith(PLACE) || fragment.length > MAX_FRAGMENT) return undefined;
  const [cid = "", query = "", ...rest] = fragment.slice(PLACE.length).split("?");
  const fields = new URLSearchParams(query);
  const [from, ...others] = fields.getAll("from");
  const [note = "", ...notes] = fields.getAll("note");
  if (from === undefined || rest.length + others.length + notes.length > 0) return undefined;
  try {
    // The checksum is that of the whole address: one without it may be cut or mistyped.
    if (/^0x/i.test(from) && getAddress(from) !== from) return undefined;
    if (isZeroAddress(from)) return undefined;
    return { cid: checkCid(cid), from: checkAddress(from), note: cleanNote(note) };
  } catch {
    return undefined;
  }
}

/** Returns a note as it is shown: one line, without what cannot be seen or reorders text, and cut off. */
function cleanNote(text: string): string {
  const line = toSafeName(text.replace(/\s+/g, " ").normalize("NFC").trim()).replace(MANY_MARKS, "$1");
  const characters = Array.from(line);
  return characters.length > MAX_REQUEST_NOTE ? `${characters.slice(0, MAX_REQUEST_NOTE - 1).join("")}…` : line;
}
