import { wait } from "../../async/abort.ts";
import { KEY_NODE_COUNT, TRANSFER_TIMEOUT_MS } from "../../config/limits.ts";
import { isKeeplightError, type KeeplightError } from "../../errors/base.ts";
import type { ErrorCode } from "../../errors/codes.ts";
import { invalidOption, notAJwt } from "../../errors/input.ts";
import { UnfinishedError } from "../../errors/unfinished.ts";
import { resolveOwner } from "../../kavach/auth/owner.ts";
import { createKeyRequest } from "../../kavach/keys/key-request.ts";
import { resolveSavingRule } from "../../kavach/keys/save-shards.ts";
import { resolveKeyNodes } from "../../kavach/nodes/node-client.ts";
import { resumedOptions } from "../../kavach/nodes/resumed-options.ts";
import { kavachGenerate } from "../../kavach/shards/generate.ts";
import type { KeyShard } from "../../kavach/shards/sharing.ts";
import { requireApiKey, resolveCall } from "../../options.ts";
import { checkOptions } from "../../validation/check-options.ts";
import { checkCid } from "../../validation/cid.ts";
import { confirmStored } from "./confirm-stored.ts";
import { type ExpectedCids, hashedUpload } from "./encrypted-cids.ts";
import { encryptedName, encryptedParts, isPlainText, refuseTooLarge } from "./encrypted-parts.ts";
import {
  type ResumeUploadOptions,
  resumeUploadNames,
  type UploadEncryptedOptions,
  uploadEncryptedNames,
  uploadProgress,
} from "./encrypted-upload-options.ts";
import { matchResponse } from "./match-response.ts";
import { type Saving, type StoredUpload, saveAll, startSaving } from "./save-uploaded.ts";
import { checkCidVersion, send } from "./send.ts";
import { listSourceFiles, type Source, withSourceCleanup } from "./source.ts";
import { encodeUtf8, onlyName, refuseDuplicates } from "./upload.ts";
import { readUploadResponse, type UploadedFile, type UploadedFiles } from "./upload-response.ts";

/**
 * Encrypts files on this machine, uploads them, and saves each file's key as five shards on the five key
 * nodes, of which any three give it back. Every file has a key of its own. Memory stays flat whatever the
 * size. A folder becomes a list of files, `/` in their paths becoming `-`. The upload is announced as plain text
 * (`Mime-Type: text/plain`) if all of its files are, by their type or, without one, by names that end in `.txt`.
 *
 * Resolves to one item per file, in the order of the source.
 *
 * @throws before anything is sent: `MISSING_API_KEY`, `MISSING_OWNER`, `NOT_A_JWT`, `DUPLICATE_NAME`,
 * `FILE_TOO_LARGE`, `INVALID_SOURCE`, `INVALID_OPTION`, `INVALID_ADDRESS`, `INVALID_SIGNATURE`; while
 * uploading what {@link upload} throws; an {@link UnfinishedUpload} 'Error encrypting file'
 * (`SHARDS_NOT_SAVED`) if the files are uploaded and a key node fails. It holds the keys, and its
 * `resume()` goes on at that node; with `saveOn: "enough"` only if fewer than `threshold` nodes have the shard of some
 * file. The content ids are computed while the files are sent, as upload nodes cut files
 * by default. For another content id keys are saved only if no key exists under it and reading it back yields the
 * encrypted bytes. Otherwise (with `verifyCid` always) no key is saved at all: `CID_MISMATCH`, an
 * {@link UnfinishedUpload} too, whose `resume()` checks again and whose `resume({ cids })` saves the keys for the
 * content ids it is given, unless another key exists under one of them.
 *
 * @example
 * const [file] = await uploadEncrypted("./secret.pdf", { apiKey, signer });
 */
export async function uploadEncrypted(source: Source, options: UploadEncryptedOptions = {}): Promise<UploadedFiles> {
  return withSourceCleanup(source, () => encryptAndUpload(source, options));
}

/**
 * Encrypts and uploads a text as a file. See {@link uploadEncrypted}.
 *
 * @param options - `name` defaults to `text.txt`
 */
export async function uploadTextEncrypted(text: string, options: UploadEncryptedOptions = {}): Promise<UploadedFiles> {
  checkOptions(options, uploadEncryptedNames);
  const named = { ...options, name: options.name ?? "text.txt" };
  return encryptAndUpload(new Blob([encodeUtf8(text)], { type: "text/plain" }), named);
}

async function encryptAndUpload(source: Source, options: UploadEncryptedOptions): Promise<UploadedFiles> {
  checkOptions(options, uploadEncryptedNames);
  const apiKey = requireApiKey(options);
  const cidVersion = checkCidVersion(options.cidVersion);
  const call = resolveCall(options, TRANSFER_TIMEOUT_MS);
  const nodes = resolveKeyNodes(options);
  const auth = await resolveOwner(options, nodes);
  const requestFor = await createKeyRequest(options);
  const rule = resolveSavingRule(options);
  const files = await listSourceFiles(source, { name: options.name, signal: options.signal });
  if (files.length > 1 && options.authToken?.startsWith("0x")) throw notAJwt();
  refuseDuplicates(files.map((file) => ({ ...file, name: encryptedName(file) })));
  refuseTooLarge(files);
  const keys = await generateKeys(files.length, options);
  await auth.token();

  const progress = uploadProgress(options);
  const parts = encryptedParts(
    files,
    keys.map(({ masterKey }) => masterKey),
  );
  const names = parts.map(({ name }) => name);
  const hashed = hashedUpload(parts, cidVersion);
  const sent: SentUpload = { names, keyShards: keys.map(({ keyShards }) => keyShards), expected: hashed.expected };
  const saving = { nodes, auth, requestFor, rule, progress };

  let stored: UploadedFile[] | undefined;
  try {
    const { wrapWithDirectory } = options;
    const headers = { Encryption: "true", ...(files.every(isPlainText) ? { "Mime-Type": "text/plain" } : {}) };
    const answer = await send({ files: hashed.files, apiKey, cidVersion, wrapWithDirectory, headers, progress }, call);
    const rows = readUploadResponse(answer, { list: parts.length > 1, name: onlyName(parts, wrapWithDirectory) });
    stored = matchResponse(rows, names, answer.facts, hashed.expected);
    await confirm(sent, stored, options, saving);
  } catch (error) {
    if (!stored && !mayBeStored(error)) throw error;
    throw keepKeys(error, sent, stored, options);
  } finally {
    hashed.close();
  }
  return saveAll(toSave(sent, stored), options, saving);
}

/** Generating keys may take this long before other work, such as an abort, gets a turn. */
const GENERATION_SLICE_MS = 10;

async function generateKeys(
  count: number,
  { threshold, scheme, signal }: UploadEncryptedOptions,
): Promise<{ masterKey: string; keyShards: KeyShard[] }[]> {
  const keys: { masterKey: string; keyShards: KeyShard[] }[] = [];
  let started = performance.now();
  while (keys.length < count) {
    keys.push(await kavachGenerate({ threshold, scheme, keyCount: KEY_NODE_COUNT }));
    if (performance.now() - started < GENERATION_SLICE_MS) continue;
    await wait(0, signal);
    started = performance.now();
  }
  return keys;
}

/** What was sent, as far as it takes to save the keys. */
interface SentUpload {
  names: readonly string[];
  /** Of each file. */
  keyShards: readonly (readonly KeyShard[])[];
  expected(index: number): ExpectedCids | undefined;
}

function toSave({ keyShards }: SentUpload, stored: readonly UploadedFile[]): StoredUpload {
  return {
    stored,
    files: stored.map(({ Hash }, at) => ({ cid: Hash, keyShards: keyShards[at] ?? [], nodesDone: [] })),
  };
}

/** Makes sure that these are the content ids of what was sent; the caller vouches for those in `cids`. */
function confirm(
  { names, keyShards, expected }: SentUpload,
  stored: readonly UploadedFile[],
  options: UploadEncryptedOptions,
  { nodes, auth }: Saving,
  cids?: ResumeUploadOptions["cids"],
): Promise<void> {
  const files = stored.map(({ Hash: cid }, at) => {
    const name = names[at] ?? "";
    const vouched = cidFor(name, cids) !== undefined;
    return { name, cid, expected: expected(at), keyShards: keyShards[at] ?? [], vouched };
  });
  const call = resolveCall(options, TRANSFER_TIMEOUT_MS);
  const cidVersion = checkCidVersion(options.cidVersion);
  return confirmStored(files, { nodes, auth, call, cidVersion, strict: options.verifyCid ?? false });
}

/** The upload node has answered, but not what can be relied on. */
const UNTRUSTED_ANSWER = new Set<ErrorCode>(["INVALID_JSON", "INVALID_RESPONSE"]);

function mayBeStored(error: unknown): error is KeeplightError {
  return isKeeplightError(error) && (error.details["bodySent"] === true || UNTRUSTED_ANSWER.has(error.code));
}

/**
 * The files may be stored by now, but where is not known, or not for sure: once it is, the keys can still be saved.
 *
 * @param stored - where the upload node says that they are
 */
function keepKeys(
  error: unknown,
  sent: SentUpload,
  stored: readonly UploadedFile[] | undefined,
  options: UploadEncryptedOptions,
): unknown {
  if (!isKeeplightError(error)) return error;
  const details = { ...error.details, bodySent: true, names: sent.names, ...(stored ? { stored } : {}) };
  return new UnfinishedError<UploadedFiles, ResumeUploadOptions>(error.code, error.message, {
    details,
    cause: error.cause,
    resume: async (changed) => {
      checkOptions(changed, resumeUploadNames);
      return resumeSent(sent, stored, resumedOptions(options, changed), changed.cids);
    },
  });
}

async function resumeSent(
  sent: SentUpload,
  before: readonly UploadedFile[] | undefined,
  options: UploadEncryptedOptions,
  cids: ResumeUploadOptions["cids"],
): Promise<UploadedFiles> {
  const stored = sent.names.map((name, at) => storedAs(name, cids, before?.[at]));
  const saving = await startSaving(options);
  try {
    await confirm(sent, stored, options, saving, cids);
  } catch (error) {
    throw keepKeys(error, sent, before, options);
  }
  return saveAll(toSave(sent, stored), options, saving);
}

function cidFor(name: string, cids: ResumeUploadOptions["cids"] = {}): string | undefined {
  return Object.hasOwn(cids, name) ? cids[name] : undefined;
}

function storedAs(Name: string, cids: ResumeUploadOptions["cids"], before?: UploadedFile): UploadedFile {
  const Hash = cidFor(Name, cids);
  if (Hash !== undefined) return { Name, Hash: checkCid(Hash) };
  if (before) return before;
  throw invalidOption("cids", `a content id for ${Name}`);
}
