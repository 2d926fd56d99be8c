import { resolvePart } from "../../base/operation.ts";
import { invalidSnapshot } from "../../errors/backup.ts";
import {
  type RecoverFileKeyOptions,
  recoverFileKeyNames,
  recoverFileKeySchema,
  searchFileKey,
} from "../../kavach/keys/recover-file-key.ts";
import { openEncrypted } from "../../transfer/download/open-encrypted.ts";
import { loadOnDemand } from "../../transfer/load-on-demand.ts";
import { checkOptions } from "../../validation/check-options.ts";
import { checkCid } from "../../validation/cid.ts";
import { isHeader, MAX_HEADER_BYTES, parseHeader, type SnapshotHeader } from "./header.ts";

/** What a snapshot says about itself. */
export interface Snapshot {
  /** Content id, for `restoreBackup`. */
  cid: string;
  /** Id of the backup set: the same for all backups of one folder by one machine. */
  set: string;
  /** Of the folder. */
  name: string;
  /** In milliseconds since 1970. */
  createdAt: number;
  /** How many files it has. */
  files: number;
  /** Of all of them, in bytes. */
  bytes: number;
}

/**
 * Reads what a snapshot says about itself: its first block, verified, with a key that any three of the key nodes have.
 *
 * @throws `INVALID_SNAPSHOT` for another file; `KEY_NOT_PROVED` for one that is another file or has another key, and of whose key
 * fewer than four shards agree; what `openEncrypted` throws
 *
 * @example
 * const { name, createdAt } = await getSnapshot(cid, { signer });
 */
export async function getSnapshot(cid: string, options: RecoverFileKeyOptions): Promise<Snapshot> {
  options = checkOptions(options, recoverFileKeyNames);
  cid = checkCid(cid);
  const header = await readHeader(cid, options);
  if (typeof header === "string") throw invalidSnapshot(cid, header);
  const { key: _, ...snapshot } = header;
  return { cid, ...snapshot };
}

/** Reads the header of a snapshot. Returns what is wrong with a malformed one. */
async function readHeader(cid: string, options: RecoverFileKeyOptions): Promise<SnapshotHeader | string> {
  const { openEncryptedBlocks } = await loadOnDemand();
  const blocks = await openEncryptedBlocks(cid, options);
  const { keys } = await searchFileKey(cid, resolvePart(recoverFileKeySchema, options));
  for await (const key of keys()) {
    const file = await blocks.decryptWith(key);
    const line = parseFirstLine(await file.read(0, Math.min(file.size, MAX_HEADER_BYTES)));
    // No other key decrypts a verified block to the start of a snapshot: it proves the key.
    if (isHeader(line)) return parseHeader(line);
  }
  // A key that nodes have made up says nothing about the file.
  await openEncrypted(cid, options);
  return "it is another file";
}

function parseFirstLine(bytes: Uint8Array): unknown {
  try {
    const [line = ""] = new TextDecoder().decode(bytes).split("\n");
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
