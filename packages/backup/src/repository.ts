import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { decrypt, isKeeplightError, kavachGetAccessConditions } from "keeplight";
import {
  checkCid,
  getOwnerAddress,
  invalidOption,
  isSameAddress,
  normalizeCid,
  ownerCallSchema,
  pickOptions,
  resolveOptions,
  uploadEncryptedSchema,
  uploadKeysFirst,
  wait,
} from "keeplight/parts";
import { readVersionedJson, replaceFile, takeLock, withWriteErrors } from "keeplight/parts/node";
import { invalidBackup } from "./invalid-backup.ts";
import { createKeys, type RepositoryKeys, SECRET_BYTES } from "./keys.ts";
import { type ResolvedRead, type ResolvedWrite, toFileOptions, writeSchema } from "./options.ts";
import { withPatience } from "./patience.ts";
import { listStored, type StoredFile, toStoredName } from "./remote.ts";

/** All backups of an account, of all its machines, whose chunks are shared. */
export interface Repository {
  /** Content id of the file that has its secret. */
  cid: string;
  /** 16 hex digits: part of the names of all that it has. */
  id: string;
  keys: RepositoryKeys;
  /** When its file was stored, in milliseconds since 1970. */
  createdAt: number;
}

/** What the repository's file has. */
interface RepositoryFile {
  id: string;
  /** 64 hex digits. */
  secret: string;
  /** Milliseconds since 1970. */
  createdAt: number;
}

const TYPE = "keeplight backups";
const VERSION = 1;

const toRepository = (cid: string, { id, secret, createdAt }: RepositoryFile): Repository => ({
  cid,
  id,
  createdAt,
  keys: createKeys(Buffer.from(secret, "hex")),
});

function parseFile(bytes: Uint8Array): RepositoryFile | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    const { type, version, id, secret, createdAt } = Object(value) as Record<string, unknown>;
    const isHex = (text: unknown, digits: number): text is string =>
      typeof text === "string" && text.length === digits && /^[0-9a-f]+$/.test(text);
    if (type !== TYPE || version !== VERSION || !isHex(id, 16) || !isHex(secret, SECRET_BYTES * 2)) return undefined;
    return { id, secret, createdAt: Number(createdAt) };
  } catch {
    return undefined;
  }
}

/**
 * Reads the file of a repository, by the account or its key; `undefined` if it is another file.
 *
 * @throws what `decrypt` throws
 */
async function readFile(cid: string, options: ResolvedRead): Promise<RepositoryFile | undefined> {
  return parseFile(await decrypt(cid, toFileOptions(cid, options)));
}

/** Opens the repository that a snapshot names: the snapshot itself proves that it belongs to it. */
export async function openRepository(cid: string, options: ResolvedRead): Promise<Repository | undefined> {
  const file = await readFile(checkCid(cid), options);
  return file && toRepository(normalizeCid(cid), file);
}

/**
 * Opens the repositories that an account has: one, unless two machines made their first backups at once. The oldest is the
 * first, and only files that the account itself has stored are opened: anyone can share a file with the account whose secret is
 * known to others.
 */
export async function openRepositories(stored: readonly StoredFile[], options: ResolvedRead): Promise<Repository[]> {
  return (await findFiles(stored, options)).map(({ cid, ...file }) => toRepository(cid, file));
}

/** Lists what is named like snapshots of repositories that could not be opened. */
export function listOrphans(stored: readonly StoredFile[], opened: readonly Repository[]): StoredFile[] {
  const ids = new Set(opened.map(({ id }) => id));
  return stored.filter(({ kind, repository }) => kind === "snapshot" && !ids.has(repository));
}

type FoundFile = RepositoryFile & { cid: string };

async function findFiles(stored: readonly StoredFile[], options: ResolvedRead): Promise<FoundFile[]> {
  const found: FoundFile[] = [];
  for (const cid of new Set(stored.filter(({ kind }) => kind === "repository").map((file) => file.cid))) {
    const file = (await isOwn(cid, options)) ? await readOwn(cid, options) : undefined;
    if (file) found.push({ ...file, cid });
  }
  found.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
  // One whose upload was tried again, as its response was lost, has two files.
  return found.filter(({ id }, at) => found.findIndex((each) => each.id === id) === at);
}

/** Reads a file; `undefined` if no given key is its own. */
async function readOwn(cid: string, options: ResolvedRead): Promise<RepositoryFile | undefined> {
  try {
    return await readFile(cid, options);
  } catch (error) {
    if (options.key === undefined || !isNotOwn(error)) throw error;
    return undefined;
  }
}

/** Whether none of the keys that the caller has is that of a file. */
export function isNotOwn(error: unknown): boolean {
  return isKeeplightError(error, "CANNOT_DECRYPT") || isKeeplightError(error, "NOT_IN_KIT");
}

/** Whether the account itself has stored a file, by the key nodes. */
export async function isOwn(cid: string, options: ResolvedRead): Promise<boolean> {
  // A key is proof: it is from the caller's own kit.
  if (options.key !== undefined) return true;
  const call = resolveOptions(ownerCallSchema, pickOptions(options, ownerCallSchema));
  try {
    const { owner } = await kavachGetAccessConditions(cid, pickOptions(options, keyNodeSchema));
    return isSameAddress(owner, await getOwnerAddress(call));
  } catch (error) {
    // The nodes do not know it: it cannot be opened.
    if (isKeeplightError(error, "CID_NOT_FOUND")) return false;
    throw error;
  }
}

const { signer: _, address: __, authToken: ___, acceptMessage: ____, ...keyNodeSchema } = ownerCallSchema;

/** What a state knows of its repository. */
interface KnownRepository extends FoundFile {
  /** Address of the account, if a wallet has opened it. */
  owner?: string;
}

/**
 * Opens the repository that this machine uses, by its state alone if it has any; creates one for an account that has none.
 *
 * @throws `INVALID_OPTION` for the state of another account; `INVALID_SNAPSHOT` if the account has one that it cannot open; what
 * `decrypt`, `iterateFiles` and `uploadEncrypted` throw
 */
export async function openOwnRepository(options: ResolvedWrite): Promise<Repository> {
  // Two calls for two folders would create two.
  for (;;) {
    const lock = await withWriteErrors(options.state, async () => {
      await mkdir(options.state, { recursive: true, mode: 0o700 });
      return takeLock(options.state, "repository");
    });
    if (lock) return findOwnRepository(options).finally(() => lock.release());
    await wait(LOCK_WAIT_MS, options.signal);
  }
}

const LOCK_WAIT_MS = 200;

async function findOwnRepository(options: ResolvedWrite): Promise<Repository> {
  const path = join(options.state, "repository.json");
  const known = await readVersionedJson<KnownRepository>(path, VERSION, () =>
    invalidOption("state", `a folder whose files are intact: ${path} is damaged, or of a later version`),
  );
  const owner = await getOwner(options);
  if (known) {
    const isOther = owner !== undefined && known.owner !== undefined && !isSameAddress(owner, known.owner);
    if (isOther) throw invalidOption("state", `a folder without the state of another account (${known.owner})`);
    return toRepository(known.cid, known);
  }
  const stored = await listStored(options);
  const [found] = await findFiles(stored, options);
  if (!found) assertUnused(stored);
  const file = found ?? (await createFile(options));
  const state = { version: VERSION, ...file, ...(owner ? { owner } : {}) };
  const bytes = new TextEncoder().encode(JSON.stringify(state));
  await withWriteErrors(path, () => replaceFile(path, bytes, { durable: true }));
  return toRepository(file.cid, file);
}

/**
 * Throws `INVALID_SNAPSHOT` if the account has a snapshot of a repository that it has: key nodes may be wrong about whose it is, and
 * in a second one everything would be stored again.
 */
function assertUnused(stored: readonly StoredFile[]): void {
  const ids = new Set(stored.filter(({ kind }) => kind === "repository").map(({ repository }) => repository));
  const used = stored.find(({ kind, repository }) => kind === "snapshot" && ids.has(repository));
  if (used) throw invalidBackup(used.cid, "the key of its repository cannot be opened now; no second one is created");
}

async function getOwner(options: ResolvedRead): Promise<string | undefined> {
  if (options.key !== undefined) return undefined;
  return getOwnerAddress(resolveOptions(ownerCallSchema, pickOptions(options, ownerCallSchema)));
}

async function createFile({ threshold: _, ...options }: ResolvedWrite): Promise<FoundFile> {
  const id = randomBytes(8).toString("hex");
  const file: RepositoryFile = { id, secret: randomBytes(SECRET_BYTES).toString("hex"), createdAt: Date.now() };
  const content = JSON.stringify({ type: TYPE, version: VERSION, ...file });
  const source = new File([content], toStoredName(id, "repository"));
  // Not those of a single call, such as its `onProgress`.
  const write = pickOptions(options, writeSchema);
  const upload = resolveOptions(uploadEncryptedSchema, pickOptions(write, uploadEncryptedSchema));
  const { Hash } = await withPatience(() => uploadKeysFirst(source, upload), options);
  return { ...file, cid: normalizeCid(Hash) };
}
