import { pbkdf2 as derive } from "node:crypto";
import { availableParallelism } from "node:os";
import { env } from "node:process";
import { promisify } from "node:util";

const deriveAsync = promisify(derive);

/** PBKDF2-HMAC-SHA-256 (RFC 8018) on a thread of the runtime's pool; 32 bytes. */
export function pbkdf2(password: Uint8Array, salt: Uint8Array, iterations: number): Promise<Uint8Array> {
  return deriveAsync(password, salt, iterations, 32, "sha256");
}

/**
 * How many key derivations are worth running at once: one a core and one more, so that no core waits for
 * the next; and no more than the runtime's pool has threads (4 unless `UV_THREADPOOL_SIZE` says
 * otherwise), as the rest would only wait there.
 */
export function derivationsAtOnce(): number {
  return Math.min(availableParallelism() + 1, Number(env["UV_THREADPOOL_SIZE"]) || 4);
}
