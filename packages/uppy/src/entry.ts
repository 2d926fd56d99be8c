import { isKeeplightError, KeeplightError } from "keeplight";
import {
  createUploadSteps,
  type Entry,
  encryptedSize,
  type FileState,
  getOwnerAddress,
  hashFile,
  listSourceFiles,
  ownerCallSchema,
  pickOptions,
  resolveOptions,
  type SourceFile,
  type UploadState,
  wait,
} from "keeplight/parts";
import type { ResolvedUploader } from "./options.ts";

/** A file that is to be uploaded. */
export interface UploadFile {
  data: Blob;
  /** As it is stored. */
  name: string;
  /** As it was called where it was picked, with its folders. */
  path: string;
  /** Media type. */
  type: string;
}

/** A file that is stored, with its key saved if it is encrypted. */
export interface Uploaded {
  /** Content id. */
  cid: string;
  /** As it is stored. */
  name: string;
  /** Of the file as it was picked, in bytes. */
  size: number;
  /** Of the upload at the endpoint. */
  url: string;
}

/** What the journal keeps of a file. */
export interface UploaderState extends UploadState {
  /** How the file is encrypted, in hex digits: with its key, what its bytes become. */
  nonces?: { salt: string; iv: string } | undefined;
  /** Of the upload at the endpoint. */
  url?: string | undefined;
  /** Bytes of each chunk but the last. */
  chunkBytes: number;
  /** SHA-256 in hex digits of each chunk that was ever sent, in order; here before it is sent for the first time. */
  digests: readonly string[];
  /** A hash of how the upload was started: under which name, and by which options. */
  how?: string | undefined;
  /** What is complete, and when, in milliseconds since 1970. Besides, only `how` is kept then. */
  done?: (Uploaded & { at: number }) | undefined;
}

/** What the journal has of a file, which only this page changes meanwhile. */
export interface EntryOfUpload {
  entry: Entry<UploaderState>;
  steps: ReturnType<typeof createUploadSteps>;
}

/** The same with the file. */
export interface OpenUpload extends EntryOfUpload {
  file: UploadFile;
  source: SourceFile;
  /** Of what is sent, in bytes. */
  size: number;
  /** A hash of the name and the options that it is to be stored by. */
  how: string;
}

export const UPPY_KIND = "@keeplight/uppy";

/** What one message of AES-GCM holds (NIST SP 800-38D, 5.2.1.1). */
const MAX_PLAINTEXT_BYTES = 2 ** 36 - 32;

/** For how long a page that is being left may still hold an entry. */
const BUSY_MS = 1_000;
const TRY_AGAIN_MS = 50;

/**
 * For how long a file counts as complete when it is added again: a page that was killed right after it had completed it may not
 * have said so to anyone.
 */
const DONE_MS = 24 * 3_600_000;

/** Returns the only file of an entry. */
export function getFileState({ state }: Entry<UploaderState>): FileState {
  const [file] = state.files;
  if (!file) throw new Error("An upload has a file");
  return file;
}

/** Whether all bytes of a file may have been sent. */
export const mayBeComplete = ({ state }: { state: UploaderState }): boolean =>
  state.files.some(({ attempts }) => attempts.length > 0);

/**
 * Opens the entry of a file, by which it is recognised: by its account, its endpoint, where it was picked, its size and when it was
 * last changed. A `Blob` that is no `File` has no such date: it is read once more, and recognised by its bytes.
 *
 * @throws `JOURNAL_ENTRY_BUSY` while another page uploads it; `FILE_TOO_LARGE`, `INVALID_SOURCE`, `MISSING_OWNER`,
 * `INVALID_ADDRESS`; what the journal throws
 */
export async function openUpload(
  file: UploadFile,
  options: ResolvedUploader,
  signal: AbortSignal,
): Promise<OpenUpload> {
  const { encrypt, endpoint, upload } = options;
  const owner = encrypt ? await getOwnerAddress(resolveOwner(options, signal)) : "";
  const { size } = file.data;
  if (encrypt && size > MAX_PLAINTEXT_BYTES) throw tooLarge(file);
  const [source] = await listSourceFiles(file.data, { name: file.name, signal });
  if (!source) throw new Error("A Blob is one file");
  const account = owner.startsWith("0x") ? owner.toLowerCase() : owner;
  const version = await identifyVersion(file.data, source, signal);
  const name = JSON.stringify([account, endpoint, encrypt, file.path, size, version]);
  const entry = await openWhenFree(name, file, options, signal);
  const steps = createUploadSteps(entry, upload);
  const how = await describeWish(file, options);
  return { file, source, size: encrypt ? encryptedSize(size) : size, entry, steps, how };
}

/** Returns a hash of what differs between two uploads of one file: only the same is the same again. */
async function describeWish({ name }: UploadFile, { storage, names, upload }: ResolvedUploader): Promise<string> {
  const { shareTo, conditions, aggregator, chainType, decryptionType } = upload;
  const text = JSON.stringify([name, storage, names, shareTo, conditions, aggregator, chainType, decryptionType]);
  return toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))));
}

/** Returns what differs between versions of a file of the same size. */
async function identifyVersion(
  data: Blob,
  source: SourceFile,
  signal: AbortSignal,
): Promise<number | string | undefined> {
  if ("lastModified" in data) return (data as File).lastModified;
  const { cids } = await hashFile(source, { signal, onRead: () => undefined });
  return cids[0];
}

export const resolveOwner = (options: ResolvedUploader, signal: AbortSignal) =>
  resolveOptions(ownerCallSchema, { ...pickOptions(options, ownerCallSchema), signal });

async function openWhenFree(
  name: string,
  file: UploadFile,
  { entries, chunkBytes }: ResolvedUploader,
  signal: AbortSignal,
): Promise<Entry<UploaderState>> {
  const deadline = performance.now() + BUSY_MS;
  for (;;) {
    try {
      return await entries.open<UploaderState>(UPPY_KIND, name, createState(chunkBytes));
    } catch (error) {
      if (!isKeeplightError(error, "JOURNAL_ENTRY_BUSY")) throw error;
      if (performance.now() < deadline) await wait(TRY_AGAIN_MS, signal);
      else throw new KeeplightError(error.code, `Another page uploads ${file.name}`, { details: error.details });
    }
  }
}

function tooLarge({ name, data: { size } }: UploadFile): KeeplightError {
  const message = `File too large to encrypt: ${name} has ${size} bytes, the limit is ${MAX_PLAINTEXT_BYTES}`;
  return new KeeplightError("FILE_TOO_LARGE", message, { details: { limit: MAX_PLAINTEXT_BYTES, name, size } });
}

function createState(chunkBytes: number): UploaderState {
  return { owner: "", options: {}, files: [], chunkBytes, digests: [] };
}

/** Whether nothing is known of a file but that it was uploaded long ago. */
export const isStale = ({ done }: UploaderState): boolean => done !== undefined && Date.now() - done.at > DONE_MS;

/** Returns what was uploaded before, and when, if it was a short time ago and in the same way. */
export function getDone({ entry: { state }, how }: OpenUpload): { uploaded: Uploaded; at: number } | undefined {
  if (!state.done || isStale(state) || state.how !== how) return undefined;
  const { at, ...uploaded } = state.done;
  return { uploaded, at };
}

/** Removes an entry that has nothing but what is complete. The file may have been added again meanwhile, with a new key. */
export async function forgetDone(
  { entries }: Pick<ResolvedUploader, "entries">,
  id: string,
  isOver = ({ done }: UploaderState) => done !== undefined,
): Promise<void> {
  const entry = (await entries.acquire(id)) as Entry<UploaderState>;
  await (isOver(entry.state) ? entry.complete() : entry.release());
}

/**
 * Prepares a file: adds it, with a new key, to its entry, unless it is there. Resolves once the key survives a power cut: nothing
 * is encrypted before.
 */
export async function prepareUpload(
  { entry, steps, file: { name, path }, how }: OpenUpload,
  { encrypt }: ResolvedUploader,
  signal: AbortSignal,
): Promise<void> {
  const isNew = entry.state.files.length === 0;
  if (!encrypt) {
    const plain: FileState = { name, path, masterKey: "", keyShards: [], attempts: [], nodesDone: [] };
    if (isNew) await entry.update({ files: [plain], how, done: undefined });
    return;
  }
  if (isNew) await steps.prepare([{ path, name }], false, signal);
  const nonces = { salt: toHex(createRandom(16)), iv: toHex(createRandom(12)) };
  if (!entry.state.nonces) await entry.update({ nonces, how, done: undefined });
}

/** Forgets all that was sent: the next {@link prepareUpload} starts over, with a new key. */
export const forgetSent = ({ entry }: EntryOfUpload): Promise<void> => entry.update(NOTHING_SENT);

/** Keeps that a file is complete, and nothing else: its key is on the key nodes. */
export const setDone = ({ entry }: EntryOfUpload, uploaded: Uploaded): Promise<void> =>
  entry.update({ ...NOTHING_SENT, owner: "", options: {}, done: { ...uploaded, at: Date.now() } });

const NOTHING_SENT = { files: [], digests: [], url: undefined, nonces: undefined };

const createRandom = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes));

export const toHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

export const fromHex = (hex: string): Uint8Array =>
  Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number(`0x${byte}`));
