import { preparesBody } from "#platform";
import { TRANSFER_TIMEOUT_MS } from "../../base/config/limits.ts";
import { notAJwt } from "../../base/errors/input.ts";
import type { UnfinishedError } from "../../base/errors/unfinished.ts";
import {
  type Operation,
  type OptionSchema,
  oneOf,
  type Resolved,
  resolveOptions,
  resolvePart,
  unchecked,
  withDefault,
} from "../../base/operation.ts";
import { mixedSchema, type NotEmpty, type Optional, resolveCall } from "../../base/options.ts";
import { type RecoveryOptions, recoverySchema } from "../../formats/recovery-file/recorder-options.ts";
import { type JournalOptions, journalSchema } from "../../journal/handle.ts";
import { mergeResolved, type OwnerOptions, ownerSchema, resolveOwner } from "../../keys/auth/owner.ts";
import {
  type AccessOptions,
  accessSchema,
  createKeyRequest,
  resolveSavingRule,
  type SaveOnOptions,
  saveOnSchema,
} from "../../keys/file-keys/save-keys.ts";
import { type KeyNodeOptions, keyNodeSchema, openKeyNodes } from "../../keys/nodes/node-client.ts";
import type { ShardScheme } from "../../keys/shards/schemes.ts";
import { checkScheme } from "../../keys/shards/schemes.ts";
import { createProgress, type Stages } from "../progress.ts";
import { encryptFiles, generateKeys } from "./encrypt-files.ts";
import { refuseDuplicates } from "./file-names.ts";
import { sendAndFinish } from "./finish-upload.ts";
import type { UnsentUpload } from "./journal-entry.ts";
import { resolveRoute } from "./send.ts";
import { encodeUtf8, listSourceFiles, type Source, withSourceCleanup } from "./source.ts";
import { type UploadOptions, uploadSchema } from "./upload.ts";
import { getPaidFile } from "./upload-access.ts";
import { type Attempt, createMemoryEntry, toFileStates, toOwnName, type UploadEntry } from "./upload-entry.ts";
import type { UploadedFiles } from "./upload-response.ts";

/** Options of {@link uploadEncrypted}. */
export type UploadEncryptedOptions = UploadOptions &
  KeyNodeOptions &
  OwnerOptions &
  AccessOptions &
  SaveOnOptions &
  RecoveryOptions &
  JournalOptions & {
    /**
     * With `hidden` each file is stored under a random name and without a media type, so that the network sees neither. Only
     * the result and the journal have the names, with the folders of the source: keep them, as a listing cannot return them.
     *
     * @default "visible"
     */
    names?: "visible" | "hidden" | undefined;
    /** How keys are split. @default `bls12-381`, the only scheme that other clients read */
    scheme?: ShardScheme | undefined;
  };

export const uploadEncryptedSchema = {
  ...uploadSchema,
  ...keyNodeSchema,
  ...mixedSchema,
  ...ownerSchema,
  ...accessSchema,
  ...saveOnSchema,
  ...recoverySchema,
  ...journalSchema,
  scheme: checkScheme,
  names: oneOf(["visible", "hidden"], "visible"),
} satisfies OptionSchema<UploadEncryptedOptions>;

/** Options of an encrypted upload, checked and with their defaults. */
export type ResolvedUpload = Resolved<typeof uploadEncryptedSchema>;

export const uploadEncryptedOperation = {
  options: uploadEncryptedSchema,
} satisfies Operation<UploadEncryptedOptions>;

/**
 * Encrypts files on this machine, uploads them, and saves each file's key as five shards on the five key
 * nodes, any three of which recover it. Every file has a key of its own. Memory use does not depend on the size. A
 * folder becomes a list of files, with `-` for `/` in their paths. The upload is sent as plain text
 * (`Mime-Type: text/plain`) if all of its files are, by their type or, without one, by names that end in `.txt`.
 *
 * Resolves to one item per file, in the order of the source.
 *
 * @throws before anything is sent: `MISSING_API_KEY`, `MISSING_OWNER`, `NOT_A_JWT`, `DUPLICATE_NAME`,
 * `FILE_TOO_LARGE`, `NO_ROOM`, `INVALID_SOURCE`, `INVALID_OPTION`, `INVALID_ADDRESS`, `INVALID_SIGNATURE`; while
 * uploading what {@link upload} throws; an {@link UnfinishedUpload} 'Error encrypting file'
 * (`SHARDS_NOT_SAVED`) if the files are uploaded and a key node fails. It holds the keys, and its
 * `resume()` continues at that node; with `saveOn: "enough"` only if fewer than `threshold` nodes have the shard of some
 * file. The content ids are computed while the files are sent, as upload nodes split files
 * by default. For another content id keys are saved only if no key exists under it and reading it back yields the
 * encrypted bytes. Otherwise (with `verifyCid` always) no key is saved at all: `CID_MISMATCH`, an
 * {@link UnfinishedUpload} too, whose `resume()` checks again and whose `resume({ cids })` saves the keys under those
 * content ids, unless another key exists under one of them. With `payPerUpload` also what {@link upload} throws then; its
 * `resume()` finds what is stored, or sends the file again for the same payment.
 *
 * @example
 * const [file] = await uploadEncrypted("./secret.pdf", { apiKey, signer });
 */
export async function uploadEncrypted<const From extends Source>(
  source: From & NotEmpty<From>,
  options: UploadEncryptedOptions,
): Promise<UploadedFiles> {
  return withSourceCleanup(source, async (own) =>
    encryptAndUpload(own, resolveOptions(uploadEncryptedSchema, options)),
  );
}

const textSchema = { ...uploadEncryptedSchema, name: withDefault(unchecked<string>(), "text.txt") };

export const uploadTextEncryptedOperation = { options: textSchema } satisfies Operation<UploadEncryptedOptions>;

/**
 * Encrypts and uploads a string as a file. See {@link uploadEncrypted}.
 *
 * @param options - `name` defaults to `text.txt`
 */
export async function uploadTextEncrypted(text: string, options: UploadEncryptedOptions): Promise<UploadedFiles> {
  const resolved = resolveOptions(textSchema, options);
  return encryptAndUpload(new Blob([encodeUtf8(text)], { type: "text/plain" }), resolved);
}

async function encryptAndUpload(source: Source, options: ResolvedUpload): Promise<UploadedFiles> {
  const route = await resolveRoute(options, true);
  const attempt = await prepareAttempt(options);
  const files = await listSourceFiles(source, options);
  // A signature is valid for one file only.
  if (files.length > 1 && options.authToken?.startsWith("0x")) throw notAJwt();
  refuseDuplicates(files.map((file) => toOwnName(file, options.names)));
  // Nobody is asked for a signature before.
  route.payment?.checkFile(getPaidFile(files));
  const keys = await generateKeys(files.length, options);
  const states = toFileStates(files, keys, options.names);
  const encrypted = encryptFiles(files, states);
  // Nothing is sent for an owner who cannot sign in.
  await attempt.auth.token();
  const { wrapWithDirectory } = options;
  const order = await route.payment?.startOrder(keys[0]?.masterKey ?? "", resolveCall(options));
  return withUploadEntry({ owner: attempt.auth.address, files: states, order }, options, (entry) =>
    sendAndFinish({ files, encrypted, route, wrapWithDirectory, entry, order }, attempt),
  );
}

const SAVING_KEYS = { phase: "saving-keys", share: 0.1 } as const;

const STAGES: Stages = preparesBody
  ? [{ phase: "preparing", share: 0.45 }, { phase: "uploading", share: 0.45 }, SAVING_KEYS]
  : [{ phase: "uploading", share: 0.9 }, SAVING_KEYS];

/**
 * Prepares one attempt to send files and to save their keys.
 *
 * @param cids - content ids that the caller vouches for, by name
 * @throws before anything is sent, what the options are refused by
 */
export async function prepareAttempt(options: ResolvedUpload, cids?: Attempt["cids"]): Promise<Attempt> {
  const nodes = openKeyNodes(resolvePart(keyNodeSchema, options));
  return {
    call: resolveCall(options, TRANSFER_TIMEOUT_MS),
    cidVersion: options.cidVersion,
    strict: options.verifyCid,
    storage: options.storage,
    route: () => resolveRoute(options, true),
    nodes,
    auth: await resolveOwner(options, nodes),
    requestFor: await createKeyRequest(options),
    rule: resolveSavingRule(options),
    kit: await openKitWriter(options),
    progress: createProgress(options.onProgress, STAGES),
    cids,
    again(changed) {
      const { cids: vouched, ...resumed } = changeUpload(options, changed);
      return prepareAttempt(resumed, vouched);
    },
  };
}

async function openKitWriter(options: ResolvedUpload): Promise<Attempt["kit"]> {
  if (options.recovery === undefined && options.recoveryTo === undefined) return undefined;
  const { createRecorder } = await import("../../formats/recovery-file/recorder.ts");
  return createRecorder(options, options.signal);
}

/**
 * Runs an upload with an entry in the journal of its options, if there is one.
 *
 * @throws `INVALID_OPTION` for a journal that `openJournal` did not return; what `work` throws
 */
export async function withUploadEntry<T>(
  upload: UnsentUpload,
  options: ResolvedUpload,
  work: (entry: UploadEntry) => Promise<T>,
): Promise<T> {
  if (options.journal === undefined) return work(createMemoryEntry(upload.files, { owner: upload.owner, options }));
  const { runInJournal } = await import("./journal-entry.ts");
  return runInJournal(options.journal, upload, options, work);
}

/** Options that may change when an encrypted upload is resumed. */
export type ResumeUploadOptions = Optional<UploadEncryptedOptions> & {
  /**
   * If the upload node's response was lost, or is not trusted: the content id of each file, by the name in
   * `details.names`.
   *
   * @default those of the upload node's response
   */
  cids?: Readonly<Record<string, string>> | undefined;
};

const resumeSchema = {
  ...uploadEncryptedSchema,
  cids: unchecked<NonNullable<ResumeUploadOptions["cids"]>>(),
} satisfies OptionSchema<ResumeUploadOptions>;

/** An encrypted upload that is partly done; see {@link UnfinishedError.resume}. */
export type UnfinishedUpload = UnfinishedError<UploadedFiles, ResumeUploadOptions>;

/** Returns the options that an upload is resumed with; throws `INVALID_OPTION`. */
export function changeUpload(options: ResolvedUpload, changed: object): Resolved<typeof resumeSchema> {
  return mergeResolved(resumeSchema, { ...options, cids: undefined }, changed);
}
