import { isKeeplightError } from "../base/errors/base.ts";
import { shardsNotSaved } from "../base/errors/nodes.ts";
import { invalidResponse } from "../base/errors/transport.ts";
import { saveKeys } from "../keys/file-keys/save-keys.ts";
import { encryptFiles, generateKeys } from "../storage/upload/encrypt-files.ts";
import { sendAndFinish } from "../storage/upload/finish-upload.ts";
import { resolveRoute } from "../storage/upload/send.ts";
import { listSourceFiles } from "../storage/upload/source.ts";
import { prepareAttempt, type ResolvedUpload } from "../storage/upload/upload-encrypted.ts";
import type { AttemptCids, UploadEntry } from "../storage/upload/upload-entry.ts";
import type { UploadedFile } from "../storage/upload/upload-response.ts";

/**
 * Encrypts and uploads one file like `uploadEncrypted`, but saves its key on the key nodes before the last byte is sent, under
 * every content id that it may be stored under. So a file that is listed has its key, even if this process is killed.
 *
 * @param path - of a file
 * @param options - as `resolveOptions(uploadEncryptedSchema, options)` returns them
 * @throws `SHARDS_NOT_SAVED`, and then nothing is stored; what `uploadEncrypted` throws
 */
export async function uploadKeysFirst(path: string, options: ResolvedUpload): Promise<UploadedFile> {
  const route = await resolveRoute(options);
  const attempt = await prepareAttempt(options);
  const files = await listSourceFiles(path, options);
  const keys = await generateKeys(files.length, options);
  const keyShards = keys[0]?.keyShards ?? [];
  const token = await attempt.auth.token();
  const saved = { cids: new Set<string>(), nodes: [] as readonly number[] };
  let storedAs: string | undefined;

  async function saveBeforeEnd([file]: readonly (AttemptCids | undefined)[]): Promise<void> {
    // A signature is valid for one file only.
    const cids = [...new Set(file?.cids)].slice(0, token.startsWith("0x") ? 1 : undefined);
    const unsaved = cids.map((cid) => ({ cid, keyShards, nodesDone: [] }));
    const { files: attempted, error } = await saveKeys(unsaved, { ...attempt, onSaved: () => undefined });
    if (error !== undefined) throw isKeeplightError(error, "ABORTED") ? error : shardsNotSaved(error);
    saved.cids = new Set(cids);
    saved.nodes = attempted[0]?.nodesDone ?? [];
  }

  const entry: UploadEntry = {
    expectCids: saveBeforeEnd,
    locate: async ([stored]) => {
      storedAs = stored?.Hash;
    },
    addNode: () => undefined,
    nodesDone: () => (storedAs !== undefined && saved.cids.has(storedAs) ? saved.nodes : []),
    shareTo: () => undefined,
    resume: (work) => work(),
  };
  const encrypted = encryptFiles(files, keys);
  const [stored] = await sendAndFinish({ files, encrypted, keys, route, wrapWithDirectory: undefined, entry }, attempt);
  if (!stored) throw invalidResponse({ method: "POST", url: "" }, "The upload node names nothing");
  return stored;
}
