import { mapInOrder } from "../../base/async/parallel.ts";
import { KEY_NODE_CONCURRENCY } from "../../base/config/limits.ts";
import { invalidSource } from "../../base/errors/input.ts";
import { cannotRecoverKey } from "../../base/errors/nodes.ts";
import type { Resolved } from "../../base/operation.ts";
import { computeCommitment } from "../../formats/crypto/commitment.ts";
import {
  createProver,
  encodeManifest,
  type FolderFile,
  type FolderManifest,
  findSizeProblem,
} from "../../formats/folder-file/manifest.ts";
import { findPathProblem, findTreeProblem } from "../../formats/folder-file/paths.ts";
import { type recoverFileKeySchema, searchFileKey } from "../../keys/file-keys/recover-file-key.ts";
import { describeSent } from "../upload/encrypted-cids.ts";
import type { FileState } from "../upload/upload-entry.ts";

/** A folder of files that are stored one by one. */
interface StoredFiles extends Pick<FolderManifest, "name" | "owner"> {
  /** A file whose `commitment` is unknown is listed once four key nodes agree on its key. */
  files: readonly (Omit<FolderFile, "commitment"> & Partial<Pick<FolderFile, "commitment">>)[];
}

/**
 * Writes a manifest of encrypted files that are stored already: once it is uploaded, encrypted, `readEncryptedFolder` and
 * `shareEncryptedFolder` take them for a folder. The key of every file is recovered, as the manifest proves that its author
 * had it.
 *
 * @param options - as `resolveOptions(recoverFileKeySchema, options)` returns them
 * @param onFile - receives how many files are listed
 * @returns the manifest, not encrypted
 * @throws `INVALID_SOURCE` for no files, too many, or paths that no folder has; what recovering a key throws
 */
export async function writeStoredManifest(
  { name, owner, files }: StoredFiles,
  options: Resolved<typeof recoverFileKeySchema>,
  onFile: (done: number) => void = () => undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  const paths = files.map(({ path }) => path);
  const problem = paths.map(findPathProblem).find(Boolean) ?? findTreeProblem(paths)?.problem ?? findSizeProblem(paths);
  if (problem !== undefined) throw invalidSource(problem);
  if (files.length === 0) throw invalidSource("the folder has no files");
  const each = { limit: KEY_NODE_CONCURRENCY, signal: options.signal };
  const listed: FolderFile[] = [];
  const keys: string[] = [];
  for await (const [file, key] of mapInOrder(files, each, async ({ commitment, ...file }, signal) => {
    const key = await recoverKey(file.cid, commitment, { ...options, signal });
    return [{ ...file, commitment: commitment ?? (await computeCommitment(file.cid, key)) }, key] as const;
  })) {
    onFile(listed.push(file));
    keys.push(key);
  }
  const folder = { name, owner, createdAt: Date.now(), files: listed };
  const prove = await createProver(folder);
  const proofs = await Promise.all(listed.map(({ cid }, at) => prove(cid, keys[at] ?? "")));
  return encodeManifest({ ...folder, proofs });
}

async function recoverKey(
  cid: string,
  commitment: string | undefined,
  options: Resolved<typeof recoverFileKeySchema>,
): Promise<string> {
  const search = await searchFileKey(cid, options, { commitment, strict: commitment === undefined });
  for await (const key of search.keys()) return key;
  throw cannotRecoverKey({ reason: "the shards do not belong together" });
}

/** Describes a stored file for a list of files. Returns `undefined` if it is not certain that its bytes are stored there. */
export async function describeFile(
  file: FileState,
  cid = file.stored?.Hash,
): Promise<Omit<FolderFile, "path"> | undefined> {
  const sent = describeSent(file, cid);
  if (!cid || !file.masterKey || !sent) return undefined;
  const { size, ...profile } = sent;
  return { cid, size, commitment: await computeCommitment(cid, file.masterKey), ...profile };
}
