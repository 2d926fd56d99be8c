import { isUnfinished, type UnfinishedError } from "keeplight";
import { useCallback, useEffect, useRef } from "react";
import { useHeldOperations } from "./kit-provider.ts";
import { useLatest } from "./use-latest.ts";
import { type TaskControls, useTask } from "./use-task.ts";

/** The state of the latest change, with `abort`, `retry` and `reset`. A retry continues what is only half done. */
export type Change<Result> = TaskControls<Result, never>;

/** Makes a change; `signal` aborts it. */
export type MakeChange<Result> = (signal: AbortSignal) => Promise<Result>;

/**
 * One change at a time: another one waits until it has ended, as both may concern the same file. Aborted on unmount, and
 * reset as soon as `owner` or `subject` changes.
 *
 * @param onDone - called after each change that succeeded
 */
export function useChange<Result>(
  owner: unknown,
  subject?: string,
  onDone?: () => void,
): { change: Change<Result>; make(work: MakeChange<Result>): Promise<Result | undefined> } {
  const { start, ...change } = useTask<Result, never>(undefined, owner, subject);
  const latest = useLatest(onDone);
  const queue = useRef<Promise<unknown>>(Promise.resolve());
  const held = useHeldOperations();
  const release = useRef<() => void>(() => undefined);
  /** Replaced when owner or subject change; `undefined` while unmounted. */
  const scope = useRef<object>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is half done of one subject is not retried for another.
  useEffect(() => {
    scope.current = {};
    return () => {
      scope.current = undefined;
      release.current();
    };
  }, [owner, subject]);
  const make = useCallback(
    (work: MakeChange<Result>) => {
      let unfinished: UnfinishedError<Result, { signal: AbortSignal }> | undefined;
      const run = async ({ signal }: { signal: AbortSignal }) => {
        const started = scope.current;
        try {
          const result = await (unfinished ? unfinished.resume({ signal }) : work(signal));
          release.current();
          if (!signal.aborted) latest.current?.();
          return result;
        } catch (error) {
          if (isUnfinished<Result, { signal: AbortSignal }>(error)) {
            unfinished = error;
            release.current();
            if (started && scope.current === started) release.current = held.hold(error.operationId);
          }
          throw error;
        }
      };
      const ended = queue.current.then(() => start(run));
      queue.current = ended;
      return ended;
    },
    [start, latest, held],
  );
  return { change, make };
}
