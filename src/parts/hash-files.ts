import { TRANSFER_TIMEOUT_MS } from "../base/config/limits.ts";
import { isKeeplightError } from "../base/errors/base.ts";
import { invalidResponse } from "../base/errors/transport.ts";
import { type ResolvedCall, resolveCall } from "../base/options.ts";
import { formatCid } from "../formats/cid/content-id.ts";
import { hashFile as startHashing } from "../formats/cid/file.ts";
import { planFolders } from "../formats/cid/folder.ts";
import type { Link } from "../formats/cid/unixfs.ts";
import { formatBlockId } from "../network/blocks/block-id.ts";
import { parseBlockId } from "../network/blocks/read-file.ts";
import type { SourceFile } from "../platform/types.ts";
import { loadOnDemand } from "../storage/load-on-demand.ts";
import { createProgress, UPLOAD_STAGES } from "../storage/progress.ts";
import { createHashers, listProfiles } from "../storage/upload/encrypted-cids.ts";
import { toNodeName } from "../storage/upload/file-names.ts";
import { resolveRoute, send } from "../storage/upload/send.ts";
import type { ResolvedUpload } from "../storage/upload/upload-encrypted.ts";
import { readUploadResponse, type UploadedFile } from "../storage/upload/upload-response.ts";
import { createVerifiedUpload, type VerifiedUpload } from "../storage/upload/verify-upload.ts";

/** The files of one folder, each with its content id. */
export interface StoredFolder {
  /** Content id of each file, in the order of the files. */
  cids: string[];
  /** Content id of the folder; `undefined` if the upload node did not name it. */
  root: string | undefined;
}

/**
 * Sends files, whose names all start with one folder's, in one request, with their content ids computed meanwhile. The upload
 * node's response is accepted only if it names the ids that were computed. A node may store the files under what it decodes
 * their names to, such as `a b` for `a+b`.
 *
 * @param options - as `resolveOptions(uploadEncryptedSchema, options)` returns them
 * @param onHashed - awaited before the last bytes are sent: what the folder will be found by if the response is lost. What it
 * throws ends the request
 * @throws `CID_MISMATCH`, what `upload` throws
 */
export async function sendFolder(
  files: readonly SourceFile[],
  options: ResolvedUpload,
  onHashed: (folder: HashedFolder) => Promise<void>,
): Promise<StoredFolder> {
  const { cidVersion, signal } = options;
  const call = resolveCall(options, TRANSFER_TIMEOUT_MS);
  const route = await resolveRoute({ ...options, ...call }, false);
  const verified = await createVerifiedUpload(files, {
    cidVersion,
    signal,
    onHashed: async (links) => onHashed(await toHashedFolder(files, links, cidVersion)),
  });
  const progress = createProgress(undefined, UPLOAD_STAGES);
  const request = { files: verified.files, route, cidVersion, wrapWithDirectory: undefined, progress };
  const response = await send(request, call);
  const stored = await verifyNames(verified, readUploadResponse(response, { storage: options.storage }));
  const cids = files.flatMap(({ name }) => verified.getCid(name) ?? []);
  if (cids.length < files.length) {
    throw invalidResponse(response.facts, "The upload node responded before it had all files");
  }
  const folder = getFolder(files.map(({ name }) => name));
  const findCid = (name: string) => stored.find(({ Name }) => Name === name)?.Hash;
  return { cids, root: findCid(folder) ?? findCid(toNodeName(folder)) };
}

/** Verifies an upload by the names of its files, or else by what a node decodes them to; returns what is proved. */
async function verifyNames({ verify }: VerifiedUpload, stored: readonly UploadedFile[]): Promise<UploadedFile[]> {
  try {
    return await verify(stored);
  } catch (error) {
    if (!isKeeplightError(error, "CID_MISMATCH")) throw error;
    // The first error names what was sent.
    return verify(stored, toNodeName).catch(() => {
      throw error;
    });
  }
}

/** Content ids of files, and of the folder that contains them, that were computed here. */
export interface HashedFolder {
  /** Content id of each file, in the order of the files. */
  cids: string[];
  /** The content ids that the folder may have: by the files' own names, and by what a node may decode those to. */
  roots: string[];
}

/**
 * Computes the content ids of files, whose names all start with one folder's, and of that folder. Reads every file to its end.
 *
 * @throws what reading the files throws
 */
export async function hashFolder(
  files: readonly SourceFile[],
  cidVersion: 0 | 1,
  signal: AbortSignal,
): Promise<HashedFolder> {
  const links = new Map<string, Link>();
  for (const file of files) {
    const hasher = startHashing(cidVersion);
    for await (const chunk of file.open(signal, true)) await hasher.update(chunk);
    links.set(file.name, await hasher.finish());
  }
  return toHashedFolder(files, links, cidVersion);
}

/** @param links - the root of each file, by its name */
async function toHashedFolder(
  files: readonly SourceFile[],
  links: ReadonlyMap<string, Link>,
  cidVersion: 0 | 1,
): Promise<HashedFolder> {
  const roots = new Set<string>();
  for (const toName of [(name: string) => name, toNodeName]) {
    const named = new Map(files.map(({ name }) => [toName(name), links.get(name) as Link]));
    const names = [...named.keys()];
    const root = (await planFolders(names, cidVersion, false)(named)).get(getFolder(names));
    if (root) roots.add(formatCid(root.cid));
  }
  const cids = files.map(({ name }) => formatCid((links.get(name) as Link).cid));
  return { cids, roots: [...roots] };
}

function getFolder([name = ""]: readonly string[]): string {
  return name.split("/")[0] ?? "";
}

/**
 * Returns a content id in version 1 and base32, so that two ids of the same blocks are the same string; one whose blocks this kit
 * cannot read as it is.
 */
export function normalizeCid(cid: string): string {
  const id = parseBlockId(cid);
  return id ? formatBlockId(id) : cid;
}

/** The content ids that a file may be stored under: which one depends on how an upload node splits it. */
export interface HashedFile {
  /** In version 1, the most usual one first. */
  cids: readonly string[];
  /** Whether a content id, in any version and base, is one of them. */
  has(cid: string): boolean;
  /** Reads another content id back, and returns whether it yields the bytes of the file. Throws what each gateway throws. */
  yields(cid: string, call: ResolvedCall): Promise<boolean>;
}

/**
 * Computes the content ids that a file may be stored under while its bytes are used for something else: `update` takes chunks,
 * which may be reused once it resolves, and `finish` returns the ids, their chunk profiles and the size.
 */
export const createFileHasher = () => createHashers(listProfiles(1));

/**
 * Computes the content ids that a file may be stored under. Memory use does not depend on the size.
 *
 * @param onRead - receives how many bytes are read
 * @throws what reading the file throws
 */
export async function hashFile(
  file: SourceFile,
  { signal = new AbortController().signal, onRead }: { signal?: AbortSignal | undefined; onRead(bytes: number): void },
): Promise<HashedFile> {
  const hashers = createFileHasher();
  let read = 0;
  for await (const chunk of file.open(signal, true)) {
    await hashers.update(chunk);
    read += chunk.length;
    onRead(read);
  }
  const expected = await hashers.finish();
  const { cids, has } = expected;
  return {
    cids,
    has,
    async yields(cid, call) {
      const { isStoredAs } = await loadOnDemand();
      return isStoredAs(cid, expected, 1, call);
    },
  };
}
