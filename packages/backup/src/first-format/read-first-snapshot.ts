import { type OpenEncryptedOptions, openEncrypted } from "keeplight";
import { openByKeys } from "keeplight/parts";
import { invalidBackup } from "../invalid-backup.ts";
import { type ResolvedRead, toFileOptions } from "../options.ts";
import type { StoredFile } from "../remote.ts";
import { isNotOwn, isOwn } from "../repository.ts";
import type { Snapshot } from "../snapshot.ts";
import { type FirstHeader, isFirstHeader, MAX_HEADER_BYTES, parseFirstHeader } from "./parse-first.ts";

/**
 * Reads what a snapshot of the first format says about itself: its first block, verified, with a key that any three of the key
 * nodes have. `undefined` if none of the keys that the caller has given is its own.
 *
 * @throws `INVALID_SNAPSHOT`; what `openEncrypted` throws
 */
export async function readFirstSnapshot(file: StoredFile, options: ResolvedRead): Promise<Snapshot | undefined> {
  const { cid } = file;
  const header = await readHeader(cid, options);
  if (!header) return undefined;
  const { set, name, createdAt, files, bytes } = header;
  if (set !== file.repository) throw invalidBackup(cid, "its name is that of another set");
  // Anyone can share a file with the account, and the listing proves nothing.
  if (!(await isOwn(cid, options))) throw invalidBackup(cid, "another account has stored it");
  return { cid, id: cid, createdAt, host: "", root: name, tags: [], files, bytes, isFirstFormat: true };
}

async function readHeader(cid: string, options: ResolvedRead): Promise<FirstHeader | undefined> {
  for await (const file of openFile(cid, options)) {
    const line = parseFirstLine(await file.read(0, Math.min(file.size, MAX_HEADER_BYTES)));
    // No other key decrypts a verified block to the start of a snapshot: it proves the key.
    if (isFirstHeader(line)) return parseFirstHeader(cid, line);
  }
  if (options.key !== undefined) return undefined;
  // A key that nodes have made up says nothing about the file.
  await openEncrypted(cid, toFileOptions(cid, options) as OpenEncryptedOptions);
  throw invalidBackup(cid, "it is another file");
}

async function* openFile(cid: string, options: ResolvedRead) {
  const { key, ...call } = options;
  if (key === undefined) return yield* openByKeys(cid, call);
  try {
    yield await openEncrypted(cid, { ...toFileOptions(cid, options), authenticate: true } as OpenEncryptedOptions);
  } catch (error) {
    if (!isNotOwn(error)) throw error;
  }
}

function parseFirstLine(bytes: Uint8Array): unknown {
  try {
    const [line = ""] = new TextDecoder().decode(bytes).split("\n");
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
