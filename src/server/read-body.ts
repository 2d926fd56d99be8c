import type { RequestFacts } from "../errors/facts.ts";
import { aborted, idleTooLong, timedOut } from "../errors/transport.ts";
import { watchIdle } from "../http/idle.ts";
import type { ResolvedLimits } from "./limits.ts";

/** The chunks of a request's body. */
export interface BodyChunks extends AsyncIterator<Uint8Array> {
  /** Ends reading with an error. The body is left as it is: cancelling it may close the connection before a response. */
  stop(reason: unknown): void;
}

/** Reads a body within time limits; its chunks throw `TIMEOUT`, and `ABORTED` once the client is gone. */
export function readBody(
  body: ReadableStream<Uint8Array>,
  { timeoutMs, idleTimeoutMs }: Pick<ResolvedLimits, "timeoutMs" | "idleTimeoutMs">,
  facts: RequestFacts,
): BodyChunks {
  const reader = body.getReader();
  let failure: { reason: unknown } | undefined;
  let fail: ((reason: unknown) => void) | undefined;

  function stop(reason: unknown): void {
    clearTimeout(timer);
    idle.end();
    failure ??= { reason };
    fail?.(reason);
  }
  const timer = setTimeout(() => stop(timedOut(facts, timeoutMs)), timeoutMs);
  const idle = watchIdle(idleTimeoutMs, () => stop(idleTooLong(facts, idleTimeoutMs)));

  return {
    stop,
    async next() {
      if (failure) throw failure.reason;
      idle.expect();
      try {
        return await new Promise<IteratorResult<Uint8Array, undefined>>((resolve, reject) => {
          fail = reject;
          const onError = (cause: unknown) => reject(aborted(cause));
          reader.read().then((result) => resolve(result as IteratorResult<Uint8Array, undefined>), onError);
        });
      } finally {
        idle.rest();
      }
    },
  };
}
