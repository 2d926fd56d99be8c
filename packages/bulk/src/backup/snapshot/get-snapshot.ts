import { type OpenEncryptedOptions, openEncrypted, type RecoverFileKeyOptions } from "keeplight";
import {
  checkCid,
  mixedSchema,
  type OptionSchema,
  openByKeys,
  type Resolved,
  recoverFileKeySchema,
  resolveOptions,
} from "keeplight/parts";
import { invalidSnapshot } from "../errors.ts";
import { isHeader, MAX_HEADER_BYTES, parseHeader, type SnapshotHeader } from "./header.ts";

/** What a snapshot says about itself. */
export interface Snapshot {
  /** Content id, for `restoreBackup`. */
  cid: string;
  /** Id of the backup set: the same for all backups of one folder by one machine. */
  set: string;
  /** Name of the folder. */
  name: string;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
  /** How many files it has. */
  files: number;
  /** Size of all files, in bytes. */
  bytes: number;
}

/** Checks {@link RecoverFileKeyOptions} of calls that read a file, too. */
export const snapshotSchema = { ...recoverFileKeySchema, ...mixedSchema } satisfies OptionSchema<RecoverFileKeyOptions>;

/** {@link RecoverFileKeyOptions}, checked and with their defaults. */
type ResolvedReading = Resolved<typeof snapshotSchema>;

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
  return readSnapshot(cid, resolveOptions(snapshotSchema, options));
}

/** The same, with checked options. */
export async function readSnapshot(cid: string, options: ResolvedReading): Promise<Snapshot> {
  cid = checkCid(cid);
  const header = await readHeader(cid, options);
  if (typeof header === "string") throw invalidSnapshot(cid, header);
  const { key: _, ...snapshot } = header;
  return { cid, ...snapshot };
}

/** Reads the header of a snapshot. Returns what is wrong with a malformed one. */
async function readHeader(cid: string, options: ResolvedReading): Promise<SnapshotHeader | string> {
  for await (const file of openByKeys(cid, options)) {
    const line = parseFirstLine(await file.read(0, Math.min(file.size, MAX_HEADER_BYTES)));
    // No other key decrypts a verified block to the start of a snapshot: it proves the key.
    if (isHeader(line)) return parseHeader(line);
  }
  // A key that nodes have made up says nothing about the file.
  await openEncrypted(cid, options as OpenEncryptedOptions);
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
