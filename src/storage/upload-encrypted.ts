import { preparesBody } from "#platform";
import { KEY_NODE_COUNT, TRANSFER_TIMEOUT_MS } from "../config/limits.ts";
import { KeeplightError } from "../errors/base.ts";
import type { ErrorCode } from "../errors/codes.ts";
import { invalidOption, notAJwt } from "../errors/input.ts";
import { UnfinishedError } from "../errors/unfinished.ts";
import { wait } from "../input/abort.ts";
import { checkOptions } from "../input/check-options.ts";
import { checkCid } from "../input/cid.ts";
import { ownerCallNames, resumedOptions } from "../kavach/all-nodes.ts";
import { type KeyNodeOptions, type KeyNodes, resolveKeyNodes } from "../kavach/node-client.ts";
import { type NodeAuth, type OwnerOptions, resolveOwner } from "../kavach/owner.ts";
import { type SaveOnOptions, type SavingRule, saveOnNames, savingRule } from "../kavach/save-shards.ts";
import { kavachGenerate } from "../kavach/shards/generate.ts";
import type { KeyShard, ShardScheme } from "../kavach/shards/sharing.ts";
import { requireApiKey, resolveCall } from "../options.ts";
import { encryptedName, encryptedParts, isPlainText, refuseTooLarge } from "./encrypted-parts.ts";
import { type AccessOptions, accessOptionNames, type KeyRequest, keyRequestOf } from "./key-request.ts";
import { createProgress, type ProgressTeller } from "./progress.ts";
import { nodesMissing, saveKeys, type UnsavedFile } from "./save-keys.ts";
import { checkCidVersion, send } from "./send.ts";
import { filesOf, type Source, takingOver } from "./source.ts";
import { onlyName, refuseDuplicates, type UploadOptions, uploadOptionNames, utf8Of, verifiedIf } from "./upload.ts";
import { matchAnswer, readUploadAnswer, type UploadedFile, type UploadedFiles } from "./upload-answer.ts";

/** Options of {@link uploadEncrypted}. */
export type UploadEncryptedOptions = UploadOptions &
  KeyNodeOptions &
  OwnerOptions &
  AccessOptions &
  SaveOnOptions & {
    /** How keys are split. Default `bls12-381`, the only one that other clients read. */
    scheme?: ShardScheme | undefined;
  };

/** What may be different when an encrypted upload is resumed. */
export type ResumeUploadOptions = Partial<UploadEncryptedOptions> & {
  /** Where the upload node's answer was lost: the content id it gave each file, by the name in `details.names`. */
  cids?: Readonly<Record<string, string>> | undefined;
};

export const uploadEncryptedNames = [
  uploadOptionNames,
  ownerCallNames,
  accessOptionNames,
  saveOnNames,
  "scheme",
] as const;
const resumeUploadNames = [uploadEncryptedNames, "cids"] as const;

/** An encrypted upload that is done in part; see {@link UnfinishedError.resume}. */
export type UnfinishedUpload = UnfinishedError<UploadedFiles, ResumeUploadOptions>;

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
 * `resume()` goes on at that node; with `saveOn: "enough"` only if fewer than `threshold`
 * nodes have the shard of some file. With `verifyCid`, `CID_MISMATCH` if the upload node has stored something
 * else than the encrypted files: no key is saved then, and the error is an {@link UnfinishedUpload} too, whose
 * `resume({ cids })` saves them for the content ids it is given.
 *
 * @example
 * const [file] = await uploadEncrypted("./secret.pdf", { apiKey, signer });
 */
export async function uploadEncrypted(source: Source, options: UploadEncryptedOptions = {}): Promise<UploadedFiles> {
  return takingOver(source, () => encryptAndUpload(source, options));
}

/**
 * Encrypts and uploads a text as a file. See {@link uploadEncrypted}.
 *
 * @param options - `name` defaults to `text.txt`
 */
export async function uploadTextEncrypted(text: string, options: UploadEncryptedOptions = {}): Promise<UploadedFiles> {
  checkOptions(options, uploadEncryptedNames);
  const named = { ...options, name: options.name ?? "text.txt" };
  return encryptAndUpload(new Blob([utf8Of(text)], { type: "text/plain" }), named);
}

async function encryptAndUpload(source: Source, options: UploadEncryptedOptions): Promise<UploadedFiles> {
  checkOptions(options, uploadEncryptedNames);
  const apiKey = requireApiKey(options);
  checkCidVersion(options.cidVersion);
  const call = resolveCall(options, TRANSFER_TIMEOUT_MS);
  const nodes = resolveKeyNodes(options);
  const auth = await resolveOwner(options, nodes);
  const requestFor = await keyRequestOf(options);
  const rule = savingRule(options);
  const files = await filesOf(source, { name: options.name, signal: options.signal });
  if (files.length > 1 && options.authToken?.startsWith("0x")) throw notAJwt();
  refuseDuplicates(files.map((file) => ({ ...file, name: encryptedName(file) })));
  refuseTooLarge(files);
  const keys = await generateKeys(files.length, options);
  await auth.token();

  const progress = progressOf(options);
  const parts = encryptedParts(
    files,
    keys.map(({ masterKey }) => masterKey),
  );
  const names = parts.map(({ name }) => name);
  const unfinished = (stored: readonly UploadedFile[]): StoredUpload => ({
    stored,
    files: stored.map(({ Hash }, at) => unsaved(Hash, keys[at]?.keyShards)),
  });

  let stored: UploadedFile[];
  try {
    const { cidVersion, wrapWithDirectory } = options;
    const headers = { Encryption: "true", ...(files.every(isPlainText) ? { "Mime-Type": "text/plain" } : {}) };
    const verified = await verifiedIf(options.verifyCid, parts, { cidVersion, signal: options.signal });
    const sent = verified?.files ?? parts;
    const answer = await send({ files: sent, apiKey, cidVersion, wrapWithDirectory, headers, progress }, call);
    stored = matchAnswer(
      readUploadAnswer(answer, { list: parts.length > 1, name: onlyName(parts, wrapWithDirectory) }),
      names,
      answer.facts,
    );
    await verified?.verify(stored);
  } catch (error) {
    throw keepKeys(error, names, async (changed) => {
      checkOptions(changed, resumeUploadNames);
      return resume(unfinished(storedAs(names, changed.cids)), resumedOptions(options, changed));
    });
  }
  return saveAll(unfinished(stored), options, { nodes, auth, requestFor, rule, progress });
}

function progressOf({ onProgress }: UploadEncryptedOptions): ProgressTeller {
  return createProgress(onProgress, {
    ...(preparesBody ? { preparing: 0.45, uploading: 0.45 } : { uploading: 0.9 }),
    "saving-keys": 0.1,
  });
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

function unsaved(cid: string, keyShards: readonly KeyShard[] = []): UnsavedFile {
  return { cid, keyShards, nodesDone: [] };
}

/** The upload node has answered, but not what can be relied on. */
const UNTRUSTED_ANSWER = new Set<ErrorCode>(["INVALID_JSON", "INVALID_ANSWER", "CID_MISMATCH"]);

/** The files may be stored by now, under content ids that nobody has told: whoever finds them can still save the keys. */
function keepKeys(
  error: unknown,
  names: readonly string[],
  resume: (changed: ResumeUploadOptions) => Promise<UploadedFiles>,
): unknown {
  if (!(error instanceof KeeplightError)) return error;
  const lost = error.details["bodySent"] === true || UNTRUSTED_ANSWER.has(error.code);
  if (!lost) return error;
  const details = { ...error.details, bodySent: true, names };
  return new UnfinishedError<UploadedFiles, ResumeUploadOptions>(error.code, error.message, {
    details,
    cause: error.cause,
    resume,
  });
}

function storedAs(names: readonly string[], cids: Readonly<Record<string, string>> | undefined): UploadedFile[] {
  return names.map((Name) => {
    const Hash = cids?.[Name];
    if (Hash === undefined) throw invalidOption("cids", `a content id for ${Name}`);
    return { Name, Hash: checkCid(Hash) };
  });
}

/** An upload whose files are stored. */
interface StoredUpload {
  stored: readonly UploadedFile[];
  files: readonly UnsavedFile[];
}

/** What saving keys takes, made of the options before anything can be lost. */
interface Saving {
  nodes: KeyNodes;
  auth: NodeAuth;
  requestFor: KeyRequest;
  rule: SavingRule;
  progress: ProgressTeller;
}

async function resume(upload: StoredUpload, options: UploadEncryptedOptions): Promise<UploadedFiles> {
  const nodes = resolveKeyNodes(options);
  const auth = await resolveOwner(options, nodes);
  return saveAll(upload, options, {
    nodes,
    auth,
    requestFor: await keyRequestOf(options),
    rule: savingRule(options),
    progress: progressOf(options),
  });
}

/** Saves what is not saved yet of all files' keys; whatever goes wrong, what it takes to go on rides on the error. */
async function saveAll(upload: StoredUpload, options: UploadEncryptedOptions, saving: Saving): Promise<UploadedFiles> {
  const { stored } = upload;
  const { progress } = saving;
  const total = stored.length * KEY_NODE_COUNT;
  const onSaved = (shards: number) => progress.tell("saving-keys", shards, total);
  const { files, error } = await saveKeys(upload.files, { ...saving, onSaved });
  if (error === undefined) {
    progress.done();
    // One for each file that was sent, of which there is at least one.
    return stored.map((file, at) => withMissing(file, files[at])) as UploadedFiles;
  }
  const known = error instanceof KeeplightError ? error : undefined;
  const unfinished = files.flatMap((file, at) =>
    nodesMissing(file).length === 0 ? [] : [{ Name: stored[at]?.Name, Hash: file.cid, nodesDone: file.nodesDone }],
  );
  throw new UnfinishedError<UploadedFiles, ResumeUploadOptions>(
    known?.code === "ABORTED" ? "ABORTED" : "SHARDS_NOT_SAVED",
    known?.code === "ABORTED" ? known.message : "Error encrypting file",
    {
      details: { node: known?.details["node"], unfinished },
      cause: error,
      resume: async (changed) => {
        checkOptions(changed, resumeUploadNames);
        return resume({ ...upload, files }, resumedOptions(options, changed));
      },
    },
  );
}

function withMissing({ nodesMissing: _, ...stored }: UploadedFile, saved: UnsavedFile | undefined): UploadedFile {
  const missing = saved ? nodesMissing(saved) : [];
  return missing.length === 0 ? stored : { ...stored, nodesMissing: missing };
}
