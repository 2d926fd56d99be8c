import { shared } from "../shared.ts";
import { untilAborted } from "./abort.ts";

/** The end of the latest work under each key. */
const ends = shared("queue", () => new Map<string, Promise<void>>());

/**
 * Runs `work` after everything that was queued under the same key before it. Payments of one account run one after
 * another: concurrently they would take each other's nonce and allowance. Changes to one file's key do too: an
 * earlier one must not take effect last.
 *
 * @throws `ABORTED` while it waits; what `work` throws
 */
export async function queued<T>(key: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  const before = ends.get(key) ?? Promise.resolve();
  let done = (): void => undefined;
  const finished = new Promise<void>((resolve) => (done = resolve));
  const end = before.then(() => finished);
  ends.set(key, end);
  // Not as soon as `work` ends: if it was aborted while it waited, earlier work is still running.
  void end.then(() => ends.get(key) === end && ends.delete(key));
  try {
    await untilAborted(before, signal);
    return await work();
  } finally {
    done();
  }
}
