import { type ChunkStream, getPrice, type Price, type PriceOptions } from "keeplight";
import { encryptedSize, measureDerivation } from "keeplight/parts";

/** One file of a plan. */
export interface BulkFile {
  /** Path below the source, with `/` between folders. */
  path: string;
  /** Size in bytes. */
  size: number;
  /** When it was changed, in milliseconds since 1970, if known. A file on a disk that changed since is not sent. */
  mtime?: number;
  /** SHA-256 of its bytes, 64 hex digits, if known; a plan has them in lower case. A file whose hash differs is not sent. */
  sha256?: string;
}

/** A file or folder that a plan leaves out. */
export interface SkippedPath {
  /** Below the source. */
  path: string;
  /** Code of the error. */
  code: string;
}

/** What a plan leaves out, because it cannot be read, or is neither a file nor a folder. */
export interface SkippedPaths {
  /** How many files and folders. */
  count: number;
  /** The first 20 of them. */
  first: SkippedPath[];
}

/** Where the files of a plan are listed. */
export interface BulkListing {
  /** Names the place, so that a plan is not continued with another one. */
  readonly place: string;
  /**
   * Lists the files, always in the same order.
   *
   * @param after - path of the last file that is known already: the list continues behind it. Default from the start
   * @param onSkipped - receives what cannot be read, which is left out then. Default none: it ends the list with an error
   * @param signal - fires once nobody waits for the list any more. Default none
   * @throws `NETWORK`, `TIMEOUT`, or `HTTP_STATUS` 429 or from 500 on, while the place is down: it is waited for, and the list
   * continues behind the last file
   */
  list(after?: string, onSkipped?: (skipped: SkippedPath) => void, signal?: AbortSignal): AsyncIterable<BulkFile>;
}

/** Files on a disk that this machine has. */
export interface BulkDisk extends BulkListing {
  /** The folder that all paths are below. */
  readonly root: string;
}

/** Files elsewhere, such as in an object store. */
export interface BulkStore extends BulkListing {
  /**
   * Returns the bytes of a file, from the start each time. Anything that it throws, or that reading the bytes does, sets the file
   * aside, but for these errors of the kit.
   *
   * @throws `NETWORK`, `TIMEOUT`, or `HTTP_STATUS` 429 or from 500 on, while the store is down: it is waited for, and no attempt is
   * counted; `SOURCE_UNREADABLE` whose `details.name` is `place` if no file can be read: it ends the run
   */
  open(file: BulkFile, signal: AbortSignal): ChunkStream | Promise<ChunkStream>;
}

/** Where the files of a plan are: {@link folderSource}, {@link manifestSource}, `@keeplight/s3`, or an adapter of your own. */
export type BulkSource = BulkDisk | BulkStore;

/** Where the files of a plan are read from. */
export type BulkOrigin = Pick<BulkDisk, "root"> | (Pick<BulkStore, "open"> & Partial<Pick<BulkStore, "place">>);

/** Whether this is the path of a folder, or opens the files of a store. */
export function isOrigin(origin: unknown): origin is BulkOrigin {
  const { root, open } = (origin ?? {}) as { root?: unknown; open?: unknown };
  return typeof open === "function" || (typeof root === "string" && root !== "");
}

/** A plan whose manifest is complete. */
export interface BulkPlan {
  /** Random: 32 hex digits. */
  id: string;
  /** Names the folders that are stored, one for each batch: `photos-00007`. */
  name: string;
  /** The folder that the plan is kept in. */
  folder: string;
  /** {@link BulkSource.place} of its source. */
  place: string;
  /** The folder that its files are below; absent if they are elsewhere. */
  root?: string;
  /** Whether its files are encrypted. */
  encrypted: boolean;
  /** Set if all files of a batch are encrypted with one key. */
  oneKeyPerBatch?: true;
  /** How many files it has. */
  files: number;
  /** Size of all files, in bytes. */
  bytes: number;
  /** Size of all files as they are sent, in bytes: encryption adds 44 to each. Storage is billed by it. */
  bytesToSend: number;
  /** How many batches they are sent in. */
  batches: number;
  /** What it leaves out; absent if that is nothing. */
  skipped?: SkippedPaths;
  /** When its files were listed, in milliseconds since 1970; absent in a plan of an earlier version. */
  plannedAt?: number;
}

/** What a plan costs, estimated before anything is sent. */
export interface BulkCost extends Pick<BulkPlan, "files" | "bytes" | "bytesToSend"> {
  /** Requests to the upload node. */
  uploads: number;
  /** Requests to the key nodes that save keys: one per file and node, if files are encrypted. */
  keyNodeRequests: number;
  /** How long this machine takes to derive all keys (PBKDF2), in milliseconds. */
  derivationMs: number;
  /** Price of storing `bytesToSend`. */
  price: Price;
}

/** The network's key nodes, each of which saves a shard of every key. */
const KEY_NODES = 5;

/**
 * Estimates what a plan costs. Measures one key derivation if its files are encrypted.
 *
 * @throws what `getPrice` throws
 */
export async function estimateCost(plan: BulkPlan, options: PriceOptions): Promise<BulkCost> {
  const { files, bytes, bytesToSend, batches, encrypted, oneKeyPerBatch } = plan;
  const price = await getPrice(bytesToSend, options);
  const derivations = oneKeyPerBatch ? batches : files;
  const keyNodeRequests = encrypted ? files * KEY_NODES : 0;
  const derivationMs = encrypted ? Math.ceil(derivations * (await measureDerivation())) : 0;
  return { files, bytes, bytesToSend, uploads: batches, keyNodeRequests, derivationMs, price };
}

/** Returns the bytes of a plan's files as they are sent. */
export function countBytesToSend({ files, bytes, encrypted }: Pick<BulkPlan, "files" | "bytes" | "encrypted">): number {
  return encrypted ? bytes + files * encryptedSize(0) : bytes;
}
