import { isKeeplightError } from "../../errors/base.ts";
import { shardsNotSaved } from "../../errors/nodes.ts";
import { invalidResponse } from "../../errors/transport.ts";
import { saveKeys } from "../../kavach/keys/save-keys.ts";
import { encryptFiles } from "../../transfer/upload/encrypt-files.ts";
import type { UploadEncryptedOptions } from "../../transfer/upload/encrypted-upload-options.ts";
import { prepareEncrypted, sendAndFinish } from "../../transfer/upload/send-and-finish.ts";
import { generateKeys } from "../../transfer/upload/send-encrypted.ts";
import { listSourceFiles } from "../../transfer/upload/source.ts";
import type { RecordedCids, UploadRecord } from "../../transfer/upload/upload-record.ts";
import type { UploadedFile } from "../../transfer/upload/upload-response.ts";

/**
 * Encrypts and uploads a file like `uploadEncrypted`, but saves its key on the key nodes before the last byte is sent, under
 * every content id that it may be stored under. So a file that is listed has its key, even if this process is killed.
 *
 * @throws `SHARDS_NOT_SAVED`, and then nothing is stored; what `uploadEncrypted` throws
 */
export async function uploadAfterKey(path: string, options: UploadEncryptedOptions): Promise<UploadedFile> {
  const prepared = await prepareEncrypted(options);
  const { saving } = prepared;
  const files = await listSourceFiles(path, { name: options.name, signal: options.signal });
  const keys = await generateKeys(files.length, options);
  const keyShards = keys[0]?.keyShards ?? [];
  const token = await saving.auth.token();
  const saved = { cids: new Set<string>(), nodes: [] as readonly number[] };
  let storedAs: string | undefined;

  async function saveBeforeEnd([file]: readonly (RecordedCids | undefined)[]): Promise<void> {
    // A signature is valid for one file only.
    const cids = [...new Set(file?.cids)].slice(0, token.startsWith("0x") ? 1 : undefined);
    const unsaved = cids.map((cid) => ({ cid, keyShards, nodesDone: [] }));
    const { files: attempted, error } = await saveKeys(unsaved, { ...saving, onSaved: () => undefined });
    if (error !== undefined) throw isKeeplightError(error, "ABORTED") ? error : shardsNotSaved(error);
    saved.cids = new Set(cids);
    saved.nodes = attempted[0]?.nodesDone ?? [];
  }

  const record: UploadRecord = {
    expect: saveBeforeEnd,
    locate: async ([stored]) => {
      storedAs = stored?.Hash;
    },
    save: () => undefined,
    saved: () => (storedAs !== undefined && saved.cids.has(storedAs) ? saved.nodes : []),
    shareTo: () => undefined,
    resume: (work) => work(),
  };
  const encrypted = encryptFiles(files, keys);
  const [stored] = await sendAndFinish({ files, encrypted, keys, wrapWithDirectory: undefined, record }, prepared);
  if (!stored) throw invalidResponse({ method: "POST", url: "" }, "The upload node names nothing");
  return stored;
}
