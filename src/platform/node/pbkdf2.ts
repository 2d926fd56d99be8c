import { pbkdf2 as derive } from "node:crypto";
import { availableParallelism } from "node:os";
import { env } from "node:process";
import { promisify } from "node:util";

const deriveAsync = promisify(derive);

/** Derives 32 bytes by PBKDF2-HMAC-SHA-256 (RFC 8018) on a thread of the runtime's pool. */
export function pbkdf2(password: Uint8Array, salt: Uint8Array, iterations: number): Promise<Uint8Array> {
  return deriveAsync(password, salt, iterations, 32, "sha256");
}

/**
 * Returns how many key derivations to run at once: one per core and one more, so that no core is idle; but not more than
 * the threads of the runtime's pool (4 unless `UV_THREADPOOL_SIZE` is set), where the rest would only wait.
 */
export function derivationsAtOnce(): number {
  return Math.min(availableParallelism() + 1, Number(env["UV_THREADPOOL_SIZE"]) || 4);
}
