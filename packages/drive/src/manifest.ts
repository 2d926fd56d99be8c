import { isKeeplightError } from "keeplight";
import { invalidDrive, invalidOption } from "keeplight/parts";
import { encodeContact, parseContact } from "./contacts/contact-rows.ts";
import { MAX_CONTACTS } from "./contacts/merge-contacts.ts";
import { hexToText, isCid, isCount, isKeyText, isShortText, MAX_TEXT, textToHex, trim } from "./fields.ts";
import type { VersionId, VersionLink } from "./merge.ts";
import { encodeShared, parseShared } from "./shared-rows.ts";
import {
  type DriveState,
  type EntryState,
  type FileVersion,
  isEntryId,
  isStamp,
  type Register,
  type Stamp,
  TOP,
} from "./state.ts";

/** One version of the list of a drive. */
export interface Manifest extends Omit<VersionLink, "cid"> {
  /** Content id of the file with the drive's key: identifies the drive. */
  drive: string;
  /** Address of the account. */
  owner: string;
  /** When it was written, in milliseconds since 1970. */
  at: number;
  /** Content ids of the versions that it follows from: one, or several that are merged. */
  previous: readonly string[];
  /** Content id of the version whose entries belong to it, too; missing if `state` has all. */
  base?: string | undefined;
  state: DriveState;
}

const TYPE = "keeplight drive";
const VERSION = 1;

const MAX_ENTRIES = 500_000;

/** Encodes a manifest: JSON in UTF-8, by docs/drive.md. */
export function encodeManifest(manifest: Manifest): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify(toFields(manifest)));
}

/** Returns what is encoded of a manifest. Entries are arrays, and stamps are left out where they repeat. */
export function toFields({ state, ...facts }: Manifest): object {
  const { drive, owner, number, at, previous, history, base } = facts;
  const entries = Array.from(state.entries, ([id, entry]) => encodeEntry(id, entry));
  const named = history.map((each) => [each.cid, each.number]);
  const fields = { type: TYPE, version: VERSION, drive, owner, number, at, previous, history: named, base };
  const shared = Array.from(state.shared?.values() ?? [], encodeShared);
  const contacts = Array.from(state.contacts ?? [], encodeContact);
  const lists = { entries, ...(shared.length > 0 && { shared }), ...(contacts.length > 0 && { contacts }) };
  return { ...fields, pointer: state.pointer, ...lists };
}

/** Rows of entries, without ids: those that did not change since the last version are not computed again. */
const encoded = new WeakMap<EntryState, readonly unknown[]>();

function encodeEntry(id: string, entry: EntryState): unknown[] {
  const row = encoded.get(entry) ?? toRow(entry);
  encoded.set(entry, row);
  return [id, ...row];
}

function toRow({ folder, parent, name, trashed, files = {}, erased }: EntryState): unknown[] {
  const base = parent?.[1];
  const shorten = (stamp: Stamp) => (stamp === base ? 0 : stamp);
  return trim([
    parent ? parent[0] : null,
    base ?? null,
    name ? name[0] : null,
    name ? shorten(name[1]) : null,
    folder ? 1 : Object.entries(files).map(([cid, file]) => encodeFile(cid, file, shorten)),
    trashed ? [trashed[0] ? 1 : 0, trashed[1]] : null,
    erased ?? null,
  ]);
}

function encodeFile(cid: string, file: FileVersion, shorten: (stamp: Stamp) => Stamp | 0): unknown[] {
  const { size, added, commitment, chunkProfile = null, modified = null, type = null } = file;
  const proof = commitment === undefined ? null : hexToText(commitment);
  return trim([cid, size, shorten(added), proof, chunkProfile, modified, type]);
}

/** Throws unless a manifest with these entries can be read again: one that cannot would make the whole drive unreadable. */
export function assertReadable({ entries, shared = new Map(), contacts = new Map() }: DriveState): void {
  for (const [id, entry] of entries) {
    if (!parseEntry(JSON.parse(JSON.stringify(encodeEntry(id, entry)))))
      throw invalidDrive(id, "a change is malformed");
  }
  for (const [id, item] of shared) {
    const row: unknown = JSON.parse(JSON.stringify(encodeShared(item)));
    if (parseShared(row)?.[0] !== id) throw invalidDrive(item.file[0].cid, "a change is malformed");
  }
  for (const contact of contacts) {
    if (!parseContact(encodeContact(contact))) throw invalidDrive(contact[0], "a change is malformed");
  }
}

/** Throws `INVALID_OPTION` if a drive has more entries than are read. */
export function assertRoom({ entries, shared = new Map() }: DriveState): void {
  if (Math.max(entries.size, shared.size) > MAX_ENTRIES) {
    throw invalidOption("drive", `a drive of at most ${MAX_ENTRIES} files and folders, removed ones included`);
  }
}

/**
 * Reads a manifest. Only who has the drive's key can have written it, but a later version or a faulty one of this package
 * may have.
 *
 * @throws `INVALID_DRIVE`
 */
export function parseManifest(cid: string, bytes: Uint8Array): Manifest {
  try {
    return parseFields(cid, JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)));
  } catch (error) {
    if (isKeeplightError(error)) throw error;
    throw invalidDrive(cid, "it is not JSON");
  }
}

/** Reads what {@link toFields} returned. Throws `INVALID_DRIVE`. */
export function parseFields(cid: string, fields: unknown): Manifest {
  const refuse = (problem: string): never => {
    throw invalidDrive(cid, problem);
  };
  const read = Object(fields) as Record<string, unknown>;
  if (read["type"] !== TYPE) return refuse("it is another file");
  if (read["version"] !== VERSION) return refuse("a later version of this package wrote it");
  const { drive, owner, number, at, previous, history, base, pointer, entries, shared = [], contacts = [] } = read;
  if (typeof owner !== "string" || !isCount(number) || !isCount(at)) return refuse("its description is malformed");
  if (!isCidList(previous) || !isCidList([drive])) return refuse("a content id is malformed");
  if (base !== undefined && !isCid(base)) return refuse("its base is malformed");
  if (!Array.isArray(history)) return refuse("its history is malformed");
  const named = history.map((version) => parseVersion(version) ?? refuse("its history is malformed"));
  if (!Array.isArray(entries) || entries.length > MAX_ENTRIES) return refuse("its list of entries is malformed");
  if (pointer !== undefined && !isRegister(pointer)) return refuse("its name is malformed");
  const parsed = new Map(entries.map((entry) => parseEntry(entry) ?? refuse("an entry is malformed")));
  if (parsed.size < entries.length) return refuse("two entries have one id");
  if (!Array.isArray(shared) || shared.length > MAX_ENTRIES) return refuse("its list of shared files is malformed");
  const files = new Map(shared.map((row) => parseShared(row) ?? refuse("a shared file is malformed")));
  if (files.size < shared.length) return refuse("two shared files are the same");
  if (!Array.isArray(contacts) || contacts.length > MAX_CONTACTS) return refuse("its list of contacts is malformed");
  const people = new Map(contacts.map((row) => parseContact(row) ?? refuse("a contact is malformed")));
  if (people.size < contacts.length) return refuse("two contacts have one address");
  const state: DriveState = {
    entries: parsed,
    ...(files.size > 0 && { shared: files }),
    ...(people.size > 0 && { contacts: people }),
    ...(pointer !== undefined && { pointer }),
  };
  const facts = { drive: String(drive), owner, number, at, previous, history: named, state };
  return base === undefined ? facts : { ...facts, base };
}

/** Returns `undefined` for anything but an entry. */
function parseEntry(entry: unknown): [string, EntryState] | undefined {
  if (!Array.isArray(entry)) return undefined;
  const [id, parent, parentStamp, name, nameStamp, content = null, trashed = null, erased = null] = entry as unknown[];
  if (!isEntryId(id)) return undefined;
  const parsed: EntryState = {};
  if (parent !== null) {
    if (!isStamp(parentStamp) || (parent !== TOP && !isEntryId(parent))) return undefined;
    parsed.parent = [parent, parentStamp];
  }
  const restore = (stamp: unknown) => (stamp === 0 ? parentStamp : stamp);
  if (name !== null) {
    const stamp = restore(nameStamp);
    if (typeof name !== "string" || name.length > MAX_TEXT || !isStamp(stamp)) return undefined;
    parsed.name = [name, stamp];
  }
  if (trashed !== null) {
    if (!Array.isArray(trashed) || ![0, 1].includes(trashed[0]) || !isStamp(trashed[1])) return undefined;
    parsed.trashed = [trashed[0] === 1, trashed[1]];
  }
  if (erased !== null) {
    if (!isCidList(erased)) return undefined;
    parsed.erased = [...new Set(erased)].sort();
  }
  if (content === 1) parsed.folder = true;
  else if (Array.isArray(content)) {
    const files = content.map((file) => parseFile(file, restore));
    const kept = files.filter((file) => file && !parsed.erased?.includes(file[0]));
    if (files.includes(undefined)) return undefined;
    if (kept.length > 0) parsed.files = Object.fromEntries(kept as [string, FileVersion][]);
  } else if (content !== null) return undefined;
  return [id, parsed];
}

function parseFile(file: unknown, restore: (stamp: unknown) => unknown): [string, FileVersion] | undefined {
  if (!Array.isArray(file)) return undefined;
  const [cid, size, stamp, proof = null, chunkProfile = null, modified = null, type = null] = file as unknown[];
  const added = restore(stamp);
  if (!isCid(cid) || !isCount(size) || !isStamp(added)) return undefined;
  if (modified !== null && !Number.isSafeInteger(modified)) return undefined;
  if (proof !== null && !isKeyText(proof)) return undefined;
  if (!isShortText(chunkProfile) || !isShortText(type)) return undefined;
  return [
    cid,
    {
      size,
      added,
      ...(proof !== null && { commitment: textToHex(proof) }),
      ...(chunkProfile !== null && { chunkProfile }),
      ...(modified !== null && { modified: modified as number }),
      ...(type !== null && { type }),
    },
  ];
}

function parseVersion(version: unknown): VersionId | undefined {
  if (!Array.isArray(version)) return undefined;
  const [cid, number] = version as unknown[];
  return isCid(cid) && isCount(number) ? { cid, number } : undefined;
}

const isCidList = (value: unknown): value is string[] => Array.isArray(value) && value.every(isCid);

const isRegister = (value: unknown): value is Register<string> =>
  Array.isArray(value) && typeof value[0] === "string" && value[0].length <= MAX_TEXT && isStamp(value[1]);
