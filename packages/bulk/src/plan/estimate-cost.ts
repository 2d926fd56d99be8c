import { getPrice, type Price, type PriceOptions } from "keeplight";
import { measureDerivation } from "keeplight/parts";
import type { BulkPlan } from "./types.ts";

/** What a plan costs, estimated before anything is sent. */
export interface BulkCost {
  /** How many files are sent. */
  files: number;
  /** Size of all files, in bytes. */
  bytes: number;
  /** Size of all files as they are sent, in bytes: encryption adds 44 to each. */
  bytesToSend: number;
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
export async function estimateCost(
  { files, bytes, bytesToSend, batches, encrypted, oneKeyPerBatch }: BulkPlan,
  options: PriceOptions,
): Promise<BulkCost> {
  const price = await getPrice(bytesToSend, options);
  const derivations = oneKeyPerBatch ? batches : files;
  const derivationMs = encrypted ? Math.ceil(derivations * (await measureDerivation())) : 0;
  return {
    files,
    bytes,
    bytesToSend,
    uploads: batches,
    keyNodeRequests: encrypted ? files * KEY_NODES : 0,
    derivationMs,
    price,
  };
}
