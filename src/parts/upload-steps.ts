import { KEY_NODE_COUNT } from "../base/config/limits.ts";
import { isKeeplightError } from "../base/errors/base.ts";
import { notAJwt } from "../base/errors/input.ts";
import { shardsNotSaved } from "../base/errors/nodes.ts";
import { invalidResponse } from "../base/errors/transport.ts";
import { pickOptions, resolvePart } from "../base/operation.ts";
import type { Entry } from "../journal/entries.ts";
import { refuseOtherOwner } from "../journal/operations.ts";
import { accessSchema, saveKeys } from "../keys/file-keys/save-keys.ts";
import type { SourceFile } from "../platform/types.ts";
import { isComputed, locateFile } from "../storage/resume/continue-upload.ts";
import { encryptFiles, type FileKey, generateKeys, shareDerivedKey } from "../storage/upload/encrypt-files.ts";
import { confirmStored, finishUpload, sendAndFinish } from "../storage/upload/finish-upload.ts";
import { createUploadEntry, type UploadState } from "../storage/upload/journal-entry.ts";
import { resolveRoute } from "../storage/upload/send.ts";
import { sendEncrypted } from "../storage/upload/send-encrypted.ts";
import { listSourceFiles, type SingleSource } from "../storage/upload/source.ts";
import { prepareAttempt, type ResolvedUpload, uploadEncryptedSchema } from "../storage/upload/upload-encrypted.ts";
import {
  type Attempt,
  type AttemptCids,
  createMemoryEntry,
  createSentName,
  type FileState,
  selectFiles,
  toFileStates,
  type UploadEntry,
} from "../storage/upload/upload-entry.ts";
import type { UploadedFile } from "../storage/upload/upload-response.ts";

/** A file that is added to an upload. */
interface AddedFile {
  /** Identifies it in the entry, such as its path in the source. */
  path: string;
  /** Name that it is stored under. */
  name: string;
}

/** Options of the first attempt: how keys are split, and who may open the files. */
const keptSchema = {
  ...accessSchema,
  threshold: uploadEncryptedSchema.threshold,
  scheme: uploadEncryptedSchema.scheme,
};

/**
 * Creates the steps of an encrypted upload of many files with an entry of a journal, which this process owns. What the next
 * step requires is in the entry, so that another process may take each of them, in this order. Files are named by their
 * index in `entry.state.files`. A step that fails may be tried again.
 *
 * @param entry - new ones have the state `{ owner: "", options: {}, files: [] }`
 * @param upload - as `resolveOptions(uploadEncryptedSchema, options)` returns them; how keys are split and who may open the
 * files is as in the first `prepare`, whatever later processes pass
 */
export function createUploadSteps(entry: Entry<UploadState>, upload: ResolvedUpload) {
  // What fails is tried again as a whole, never by the error of a step.
  const uploadEntry = createUploadEntry(entry);

  const toOptions = (signal: AbortSignal): ResolvedUpload => {
    const { files, options } = entry.state;
    return { ...upload, ...(files.length > 0 ? resolvePart(keptSchema, options) : {}), signal };
  };

  async function start(options: ResolvedUpload): Promise<Attempt> {
    // A signature is valid for one file only.
    if (options.authToken?.startsWith("0x")) throw notAJwt();
    const attempt = await prepareAttempt(options);
    if (entry.state.owner !== "") refuseOtherOwner(entry.state.owner, attempt.auth.address);
    // A node that is down does not keep the others from saving their shards.
    return { ...attempt, rule: { ...attempt.rule, afterFailure: "continue" } };
  }

  return {
    /**
     * Prepares files: adds them, with new keys, to the entry. Resolves once the keys survive a power cut, so nothing is encrypted
     * by a key that could be lost.
     *
     * @param oneKey - give all files of the entry the same key
     * @throws `NOT_A_JWT` for an `authToken` that is a signature: one is valid for one file only; `INVALID_OPTION` for another
     * account than the one that started; what `uploadEncrypted` refuses options with
     */
    async prepare(added: readonly AddedFile[], oneKey: boolean, signal: AbortSignal): Promise<void> {
      const options = toOptions(signal);
      const { auth } = await start(options);
      if (added.length === 0) return;
      const { files } = entry.state;
      const [first] = files;
      const keys = oneKey && first ? [first] : await generateKeys(oneKey ? 1 : added.length, options);
      const states = added.map(({ path, name }, at): FileState => {
        const { masterKey, keyShards } = keys[oneKey ? 0 : at] as FileKey;
        return { name, sentAs: createSentName(options.names), path, masterKey, keyShards, attempts: [], nodesDone: [] };
      });
      const kept = pickOptions(options, keptSchema);
      await entry.update({ owner: auth.address, options: kept, files: [...files, ...states] });
    },

    /**
     * Finds out whether the network has a file that was sent before, by the content ids that were computed while it was sent.
     *
     * @returns its content id; `undefined` if it is not stored
     */
    async locate(index: number, signal: AbortSignal): Promise<string | undefined> {
      const file = entry.state.files[index];
      return file && (await locateFile(toUnproven(file), undefined, toOptions(signal)))?.Hash;
    },

    /**
     * Encrypts and sends files in one request, and confirms where they are stored.
     *
     * @param sources - the plaintext of the file at the same position of `indexes`
     * @param oneKey - derive the key of the first file once, for all of them
     * @returns the content id of each file
     * @throws what `uploadEncrypted` throws before it saves keys
     */
    async send(
      indexes: readonly number[],
      sources: readonly SourceFile[],
      oneKey: boolean,
      signal: AbortSignal,
    ): Promise<string[]> {
      const options = toOptions(signal);
      const route = await resolveRoute(options, true);
      const attempt = await start(options);
      const own = selectFiles(uploadEntry, indexes);
      const keys = own.files();
      const files = sources.map(({ folder: _, ...source }, at) => ({ ...source, name: keys[at]?.name ?? "" }));
      const prepared = oneKey && keys[0] ? shareDerivedKey(keys[0].masterKey) : undefined;
      const encrypted = encryptFiles(files, keys, prepared);
      // Nothing is sent for an owner who cannot sign in.
      await attempt.auth.token();
      const request = { files, encrypted, route, wrapWithDirectory: false, entry: own };
      const { expected, locate } = await sendEncrypted(request, attempt);
      const stored = await locate(signal);
      await own.locate(stored);
      await confirmStored(own, stored, { ...attempt, strict: false }, expected);
      return indexes.map((_, at) => stored[at]?.Hash ?? "");
    },

    /**
     * Saves the key shards of stored files on the five key nodes. A node that fails does not keep the others from saving theirs.
     *
     * @param cids - the content id of the file at the same position of `indexes`
     * @returns positions in `indexes` of the files whose keys enough nodes have: at least one
     * @throws the error of a key node, if there is no such file
     */
    async saveKeys(indexes: readonly number[], cids: readonly string[], signal: AbortSignal): Promise<number[]> {
      const attempt = await start(toOptions(signal));
      const own = selectFiles(uploadEntry, indexes);
      const files = own.files();
      const stored = cids.map((Hash, at): UploadedFile => ({ Name: files[at]?.name ?? "", Hash }));
      const positions = [...indexes.keys()];
      try {
        await finishUpload(own, stored, attempt);
        return positions;
      } catch (error) {
        const saved = positions.filter((at) => (own.files()[at]?.nodesDone.length ?? 0) >= attempt.rule.enough);
        if (saved.length > 0) return saved;
        // The key node's own error says more about what to do.
        const isOfNode = isKeeplightError(error, "SHARDS_NOT_SAVED") && isKeeplightError(error.cause);
        throw isOfNode ? error.cause : error;
      }
    },
  };
}

/** A file of which only the network is to say whether it is stored: it may have been lost since. */
function toUnproven({ stored, ...file }: FileState): FileState {
  return { ...file, nodesDone: [], ...(stored && !isComputed(file, stored.Hash) ? { stored } : {}) };
}

/**
 * Whether a file of an upload was stored under a content id, which may be in another version or encoding than the one that is
 * kept.
 */
export function isStoredAs(file: Pick<FileState, "attempts" | "stored">, cid: string): boolean {
  return file.stored?.Hash === cid || isComputed(file, cid);
}

/**
 * Encrypts and uploads one file like `uploadEncrypted`, but saves its key on the key nodes before the last byte is sent, under
 * every content id that it may be stored under. So a file that is listed has its key, even if this process is killed. One node
 * may be down, unless the threshold is 5: its number is in `nodesMissing`, and the shards of the four others recover the key.
 *
 * @param source - a single file
 * @param options - as `resolveOptions(uploadEncryptedSchema, options)` returns them; `saveOn` has no effect
 * @throws `SHARDS_NOT_SAVED`, and then nothing is stored; what `uploadEncrypted` throws
 */
export async function uploadKeysFirst(source: SingleSource, options: ResolvedUpload): Promise<UploadedFile> {
  const route = await resolveRoute(options, true);
  const prepared = await prepareAttempt(options);
  const enough = Math.max(KEY_NODE_COUNT - 1, options.threshold ?? 0);
  const attempt = { ...prepared, rule: { afterFailure: "continue", enough } } as const;
  const files = await listSourceFiles(source, options);
  const keys = await generateKeys(files.length, options);
  const keyShards = keys[0]?.keyShards ?? [];
  const token = await attempt.auth.token();
  const states = toFileStates(files, keys, options.names);
  const memory = createMemoryEntry(states, { owner: attempt.auth.address, options });
  /** The nodes that have the key, by content id. */
  let saved = new Map<string, readonly number[]>();

  async function saveBeforeEnd(expected: readonly (AttemptCids | undefined)[]): Promise<void> {
    await memory.expectCids(expected);
    const [file] = expected;
    // A signature is valid for one file only.
    const cids = [...new Set(file?.cids)].slice(0, token.startsWith("0x") ? 1 : undefined);
    const unsaved = cids.map((cid) => ({ cid, keyShards, nodesDone: [] }));
    const { files: attempted, error } = await saveKeys(unsaved, { ...attempt, onSaved: () => undefined });
    if (error !== undefined) throw isKeeplightError(error, "ABORTED") ? error : shardsNotSaved(error);
    saved = new Map(attempted.map(({ cid, nodesDone }) => [cid, nodesDone]));
  }

  const entry: UploadEntry = {
    ...memory,
    expectCids: saveBeforeEnd,
    async locate(stored) {
      await memory.locate(stored);
      for (const node of saved.get(stored[0]?.Hash ?? "") ?? []) memory.addNode(0, node);
    },
  };
  const encrypted = encryptFiles(files, states);
  const [stored] = await sendAndFinish(
    { files, encrypted, route, wrapWithDirectory: undefined, entry, hashAll: true },
    attempt,
  );
  if (!stored) throw invalidResponse({ method: "POST", url: "" }, "The upload node names nothing");
  return stored;
}
