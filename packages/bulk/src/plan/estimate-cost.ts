import type { Price } from "keeplight";
import { byteCount, computePrice, derivationsAtOnce, KEY_NODE_COUNT, PBKDF2_ITERATIONS, pbkdf2 } from "keeplight/parts";
import type { BulkPlan } from "./types.ts";

/** What a plan costs, estimated before anything is sent. */
export interface BulkCost {
  /** How many files are sent. */
  files: number;
  /** Of all files, in bytes. */
  bytes: number;
  /** Of all files as they are sent, in bytes: encryption adds 44 to each. */
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

/**
 * Estimates what a plan costs. Measures one key derivation if its files are encrypted.
 *
 * @throws what `computePrice` throws
 */
export async function estimateCost(
  { files, bytes, bytesToSend, batches, encrypted, oneKeyPerBatch }: BulkPlan,
  options: Parameters<typeof computePrice>[1],
): Promise<BulkCost> {
  const price = await computePrice(byteCount(bytesToSend, "size"), options);
  const derivations = oneKeyPerBatch ? batches : files;
  const derivationMs = encrypted ? Math.ceil((derivations / derivationsAtOnce()) * (await measureDerivation())) : 0;
  return {
    files,
    bytes,
    bytesToSend,
    uploads: batches,
    keyNodeRequests: encrypted ? files * KEY_NODE_COUNT : 0,
    derivationMs,
    price,
  };
}

/** Returns how long one of several concurrent derivations takes, in milliseconds. */
async function measureDerivation(): Promise<number> {
  const password = new Uint8Array(64);
  const salt = new Uint8Array(16);
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: derivationsAtOnce() }, () => pbkdf2(password, salt, PBKDF2_ITERATIONS)));
  return performance.now() - startedAt;
}
