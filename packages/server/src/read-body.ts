import type { RequestFacts } from "keeplight";
import { watchIdle } from "keeplight/parts";
import { clientGone, idleTooLong, timedOut } from "./errors.ts";
import type { ResolvedLimits } from "./limits.ts";

/** The chunks of a request's body. */
export interface BodyChunks extends AsyncIterator<Uint8Array> {
  /** Replaces the time limits; the new ones start now. */
  limit(limits: TimeLimits): void;
  /** Ends reading with an error. The body is left as it is: cancelling it may close the connection before a response. */
  stop(reason: unknown): void;
}

type TimeLimits = Pick<ResolvedLimits, "timeoutMs" | "idleTimeoutMs">;

/** Reads a body within time limits; its chunks throw `TIMEOUT`, and `ABORTED` once the client is gone. */
export function readBody(body: ReadableStream<Uint8Array>, limits: TimeLimits, facts: RequestFacts): BodyChunks {
  const reader = body.getReader();
  let failure: { reason: unknown } | undefined;
  let fail: ((reason: unknown) => void) | undefined;
  let timers = start(limits);

  function start({ timeoutMs, idleTimeoutMs }: TimeLimits) {
    const timer = setTimeout(() => stop(timedOut(facts, timeoutMs)), timeoutMs);
    const idle = watchIdle(idleTimeoutMs, () => stop(idleTooLong(facts, idleTimeoutMs)));
    return { timer, idle };
  }

  function clearTimers(): void {
    clearTimeout(timers.timer);
    timers.idle.end();
  }

  function stop(reason: unknown): void {
    clearTimers();
    failure ??= { reason };
    fail?.(reason);
  }

  return {
    limit(other) {
      clearTimers();
      timers = start(other);
    },
    stop,
    async next() {
      if (failure) throw failure.reason;
      timers.idle.expect();
      try {
        return await new Promise<IteratorResult<Uint8Array, undefined>>((resolve, reject) => {
          fail = reject;
          const onError = (cause: unknown) => reject(clientGone(cause));
          reader.read().then((result) => resolve(result as IteratorResult<Uint8Array, undefined>), onError);
        });
      } finally {
        timers.idle.rest();
      }
    },
  };
}
