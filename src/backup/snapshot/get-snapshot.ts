import { invalidSnapshot } from "../../errors/backup.ts";
import { type RecoverFileKeyOptions, recoverFileKeyNames } from "../../kavach/keys/recover-file-key.ts";
import { openEncrypted } from "../../transfer/download/open-encrypted.ts";
import { checkOptions } from "../../validation/check-options.ts";
import { checkCid } from "../../validation/cid.ts";
import { MAX_HEADER_BYTES, parseHeader } from "./header.ts";

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
 * Reads what a snapshot says about itself: its first block, verified, with a key that four of the key nodes agree on.
 *
 * @throws `INVALID_SNAPSHOT` for another file; what `openEncrypted` throws
 *
 * @example
 * const { name, createdAt } = await getSnapshot(cid, { signer });
 */
export async function getSnapshot(cid: string, options: RecoverFileKeyOptions): Promise<Snapshot> {
  options = checkOptions(options, recoverFileKeyNames);
  cid = checkCid(cid);
  const file = await openEncrypted(cid, options);
  const header = parseHeader(parseFirstLine(await file.read(0, Math.min(file.size, MAX_HEADER_BYTES))));
  if (typeof header === "string") throw invalidSnapshot(cid, header);
  const { key: _, ...snapshot } = header;
  return { cid, ...snapshot };
}

function parseFirstLine(bytes: Uint8Array): unknown {
  try {
    const [line = ""] = new TextDecoder().decode(bytes).split("\n");
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
