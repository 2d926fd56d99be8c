import { createHash, pbkdf2 as derive } from "node:crypto";
import { availableParallelism } from "node:os";
import { env } from "node:process";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { type BlockHasher, HASH_BLOCK_BYTES, type HashedPart } from "../types.ts";

export function sha256(...parts: Uint8Array[]): Uint8Array {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
}

const deriveAsync = promisify(derive);

/** Runs on a thread of the runtime's pool. */
export function pbkdf2(password: Uint8Array, salt: Uint8Array, iterations: number): Promise<Uint8Array> {
  return deriveAsync(password, salt, iterations, 32, "sha256");
}

/** One per core and one more, so that no core is idle; but not more than the runtime's pool has threads (4 by default). */
export function derivationsAtOnce(): number {
  return Math.min(availableParallelism() + 1, Number(env["UV_THREADPOOL_SIZE"]) || 4);
}

/** Up to here, and for blocks this small, hashing takes less than starting a thread or messaging it. */
const INLINE_TOTAL_BYTES = 8 * 1024 * 1024;
const INLINE_BLOCK_BYTES = 64 * 1024;

/** Hashes parts of a block. Its source also runs in a thread of its own, so everything it needs is an argument. */
function digestParts(create: typeof createHash, memory: Uint8Array, parts: readonly HashedPart[]): Uint8Array[] {
  return parts.map(({ start, end, head, foot }) =>
    create("sha256").update(head).update(memory.subarray(start, end)).update(foot).digest(),
  );
}

const THREAD_SOURCE = `
const { createHash } = require("node:crypto");
const { parentPort } = require("node:worker_threads");
const digestParts = ${digestParts};
parentPort.on("message", ({ memory, parts }) => parentPort.postMessage(digestParts(createHash, memory, parts)));
`;

/** Hashes on this thread at first, and on another one, if it can be started, once there is enough to hash. */
export function blockHasher(): BlockHasher {
  let total = 0;
  let thread: ReturnType<typeof startThread> | undefined;
  return {
    // Shared by both threads.
    memory: () => new Uint8Array(new SharedArrayBuffer(HASH_BLOCK_BYTES)),
    async digest(memory, parts) {
      const size = parts.reduce((sum, { start, end }) => sum + end - start, 0);
      total += size;
      if (size > INLINE_BLOCK_BYTES && total > INLINE_TOTAL_BYTES) {
        thread ??= startThread();
        const digests = await thread.digest(memory, parts);
        if (digests) return digests;
      }
      return digestParts(createHash, memory, parts);
    },
    close: () => thread?.close(),
  };
}

function startThread() {
  let worker: Worker | undefined;
  let waiting: ((digests: Uint8Array[] | undefined) => void)[] = [];
  function close(): void {
    void worker?.terminate();
    worker = undefined;
    for (const resolve of waiting) resolve(undefined);
    waiting = [];
  }
  try {
    // The thread requires nothing that this process was started with, such as loaders and secrets.
    worker = new Worker(THREAD_SOURCE, { eval: true, execArgv: [], env: {} });
    worker.unref();
    worker.on("message", (digests: Uint8Array[]) => waiting.shift()?.(digests));
    worker.on("error", close);
  } catch {
    // Not every runtime has or allows threads.
  }
  return {
    /** Resolves with `undefined` if there is no thread, or it failed. */
    digest(memory: Uint8Array, parts: readonly HashedPart[]): Promise<Uint8Array[] | undefined> {
      return new Promise((resolve) => {
        if (!worker) return resolve(undefined);
        waiting.push(resolve);
        worker.postMessage({ memory, parts });
      });
    },
    close,
  };
}
