import {
  type BearerOptions,
  type CallOptions,
  deleteFile,
  isKeeplightError,
  iterateFiles,
  openFile,
  type StorageClass,
  upload,
} from "keeplight";
import { bearerSchema, callSchema, invalidOption, normalizeCid, pickOptions } from "keeplight/parts";
import { readFirstName } from "./first-format/parse-first.ts";
import type { ResolvedAccount } from "./options.ts";

const KINDS = ["repository", "pack", "snapshot", "mark"] as const;

/** What is stored. */
export type StoredKind = (typeof KINDS)[number];

/** A file of the account that is named like one of a backup: nothing of it is proven. */
export interface StoredFile {
  /** Id in the listing, for its deletion. */
  id: string;
  /** Content id, in version 1 and base32. */
  cid: string;
  /** Id of the repository, of a snapshot of the first format of its set: 16 hex digits. */
  repository: string;
  kind: StoredKind | "first snapshot";
  /** When it was stored, as the listing says, in milliseconds since 1970. */
  createdAt: number | null;
}

/** Returns the name of everything of one kind: it says no more than that. */
export function toStoredName(repository: string, kind: StoredKind): string {
  return `keeplight-backups-${repository}.${kind}`;
}

const NAME = new RegExp(`^keeplight-backups-([0-9a-f]{16})\\.(${KINDS.join("|")})$`);

function readName(name: string): Pick<StoredFile, "repository" | "kind"> | undefined {
  const [, repository, kind] = NAME.exec(name) ?? [];
  if (repository !== undefined) return { repository, kind: kind as StoredKind };
  const set = readFirstName(name);
  return set === undefined ? undefined : { repository: set, kind: "first snapshot" };
}

/** Lists what an account has of backups: of the first format, its snapshots. */
export async function listStored(account: ResolvedAccount): Promise<StoredFile[]> {
  const files: StoredFile[] = [];
  for await (const { id, cid, fileName, createdAt } of iterateFiles({
    ...toBearer(account),
    maxRows: Number.MAX_SAFE_INTEGER,
  })) {
    const named = cid === "" ? undefined : readName(fileName ?? "");
    if (named) files.push({ id, cid: normalizeCid(cid), createdAt, ...named });
  }
  return files;
}

/** Sends bytes, or a file of this machine, under a name; returns the content id, which was computed meanwhile. */
export async function store(
  source: Uint8Array | string,
  name: string,
  account: ResolvedAccount,
  storage: StorageClass | undefined,
): Promise<string> {
  const [stored] = await upload(source, { ...toBearer(account), name, storage, verifyCid: true });
  return normalizeCid(stored.Hash);
}

/**
 * Deletes files from the listing of the account; those that are gone already do not count. Returns how many were deleted.
 *
 * @throws `INVALID_OPTION` if files are of another storage class: deletions do not find those
 */
export async function deleteStored(
  files: readonly StoredFile[],
  account: ResolvedAccount,
  storage: StorageClass | undefined,
): Promise<number> {
  let deleted = 0;
  const unfound = new Set<string>();
  for (const { id } of files) {
    try {
      await deleteFile(id, { ...toBearer(account), storage });
      deleted++;
    } catch (error) {
      if (!isKeeplightError(error, "HTTP_STATUS") || error.details.status !== 404) throw error;
      unfound.add(id);
    }
  }
  const left = unfound.size > 0 ? (await listStored(account)).filter(({ id }) => unfound.has(id)) : [];
  if (left.length > 0) throw invalidOption("storage", "the storage class that the backups were made with");
  return deleted;
}

const toBearer = (account: ResolvedAccount) => pickOptions(account, bearerSchema) as BearerOptions;

/** Opens a stored file, each block of which is verified by its content id. */
export function openStored(cid: string, options: object) {
  return openFile(cid, pickOptions(options, callSchema) as CallOptions);
}

/** How long a listing or a gateway may not have what was sent, in milliseconds. */
export const LATE_MS = 3_600_000;

/** Statuses of a gateway that does not have a file, or not any more. */
const MISSING: ReadonlySet<unknown> = new Set([404, 410, 451]);

/** Whether an error says that no gateway has a file, or has it whole: not that one is down, or refuses to say. */
export function isLost(error: unknown): boolean {
  if (!isKeeplightError(error)) return false;
  const { code, details } = error;
  const { gateways = [{ code, ...details }] } = details as { gateways?: { code: string; status?: unknown }[] };
  return gateways.every(
    (each) => each.code === "CID_MISMATCH" || (each.code === "HTTP_STATUS" && MISSING.has(each.status)),
  );
}

/** The largest small file that is read: a snapshot of some 100,000 packs. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Reads a small file; `undefined` if it is too large to be one. */
export async function readStored(cid: string, options: object): Promise<Uint8Array | undefined> {
  const file = await openStored(cid, options);
  return file.size > MAX_BYTES ? undefined : file.read(0, file.size);
}
