import { isKeeplightError, type KeeplightError } from "keeplight";
import { limitTime, onAbort, throwIfAborted, wait } from "keeplight/parts";
import type { Bucket } from "./bucket.ts";
import { isOutage, type RequestFacts, toBucketError } from "./errors.ts";

/** How often a request is sent that brings nothing, before its failure is thrown. */
const TRIES = 5;

/** Wait before the second of them, in milliseconds; twice as long before each further one. */
const FIRST_WAIT_MS = 100;

/** Ends what a request left open. One for all requests: making an exception takes as long as signing one. */
const OVER = new DOMException("The request is over", "AbortError");

/** One request, until it is ended: of an object, until its body is read. */
export interface OpenRequest {
  facts: RequestFacts;
  /** Of the AWS SDK. */
  options: { abortSignal: AbortSignal };
  /** The bucket is expected to send something, from now on. */
  expect(): void;
  /** It is not. */
  rest(): void;
  /** Returns the error to throw for what the request was rejected with. Throws `ABORTED`. */
  translate(error: unknown): KeeplightError;
  /** Closes the connection, unless everything was read. */
  end(): void;
}

export type Requests = ReturnType<typeof createRequests>;

/** Creates what sends requests to a bucket. */
export function createRequests(bucket: Bucket, place: string) {
  function start(method: string, signal: AbortSignal | undefined): OpenRequest {
    throwIfAborted(signal);
    const facts = { method, url: place };
    const controller = new AbortController();
    let late: KeeplightError | undefined;
    const giveUp = (error: KeeplightError) => {
      late = error;
      controller.abort(OVER);
    };
    const limits = { timeoutMs: Number.MAX_SAFE_INTEGER, idleTimeoutMs: bucket.idleMs };
    const time = limitTime(facts, limits, giveUp);
    const removeCallback = onAbort(signal, () => controller.abort(OVER));
    return {
      facts,
      options: { abortSignal: controller.signal },
      expect: time.expect,
      rest: time.rest,
      translate(error) {
        throwIfAborted(signal);
        return late ?? (isKeeplightError(error) ? error : toBucketError(error, facts));
      },
      end() {
        time.end();
        removeCallback();
        controller.abort(OVER);
      },
    };
  }

  return {
    ...bucket,
    place,
    start,
    /** Sends a request whose response is read as a whole. Sends it again, a few times, while the bucket cannot be reached. */
    send<Response>(
      method: string,
      signal: AbortSignal | undefined,
      work: (options: OpenRequest["options"]) => Promise<Response>,
    ): Promise<Response> {
      return withTries(signal, async () => {
        const request = start(method, signal);
        try {
          request.expect();
          return await work(request.options);
        } catch (error) {
          throw request.translate(error);
        } finally {
          request.end();
        }
      });
    },
  };
}

/** Runs work again, a few times, while the bucket cannot be reached. */
async function withTries<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  const tries = createTries(signal);
  for (;;) {
    try {
      return await work();
    } catch (error) {
      await tries.next(error);
    }
  }
}

/** Creates what decides whether a request that failed is sent again. */
export function createTries(signal: AbortSignal | undefined) {
  let failures = 0;
  return {
    /** Something was received: the next failure is the first one. */
    reset(): void {
      failures = 0;
    },
    /** Waits before the next try; throws the error if it is none that time mends, took long, or there were enough. */
    async next(error: unknown): Promise<void> {
      const isShort = isKeeplightError(error) && isOutage(error) && error.code !== "TIMEOUT";
      if (!isShort || ++failures >= TRIES) throw error;
      await wait(FIRST_WAIT_MS * 2 ** (failures - 1), signal);
    },
  };
}
