import { isKeeplightError, type UploadedFile } from "keeplight";
import {
  type AttemptCids,
  encryptFiles,
  generateKeys,
  invalidResponse,
  listSourceFiles,
  prepareAttempt,
  resolveOptions,
  resolveRoute,
  saveKeys,
  sendAndFinish,
  shardsNotSaved,
  type UploadEntry,
  uploadEncryptedSchema,
} from "keeplight/parts";
import type { ResolvedAccount } from "../backup-options.ts";

/**
 * Encrypts and uploads a file like `uploadEncrypted`, but saves its key on the key nodes before the last byte is sent, under
 * every content id that it may be stored under. So a file that is listed has its key, even if this process is killed.
 *
 * @throws `SHARDS_NOT_SAVED`, and then nothing is stored; what `uploadEncrypted` throws
 */
export async function uploadAfterKey(path: string, options: ResolvedAccount & { name: string }): Promise<UploadedFile> {
  const resolved = resolveOptions(uploadEncryptedSchema, options);
  const route = await resolveRoute(resolved);
  const attempt = await prepareAttempt(resolved);
  const files = await listSourceFiles(path, resolved);
  const keys = await generateKeys(files.length, resolved);
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
