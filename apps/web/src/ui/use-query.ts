import { useCallback, useEffect, useState } from "react";

/** Something that a screen loads on mount. */
export type Query<Value> =
  | { status: "loading"; value?: undefined }
  | { status: "ready"; value: Value }
  | { status: "failed"; error: unknown; value?: Value };

const loading: Query<never> = { status: "loading" };

/**
 * Loads on mount; resets and reloads when `load` changes (wrap it in `useCallback`). `reload` loads again, and keeps
 * showing the previous value until then; so does a connection that is back, after a failure.
 */
export function useQuery<Value>(load: (signal: AbortSignal) => Promise<Value>): Query<Value> & { reload: () => void } {
  const [result, setResult] = useState<{ of: typeof load; query: Query<Value> }>();
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `attempt` loads again.
  useEffect(() => {
    const controller = new AbortController();
    load(controller.signal).then(
      (value) => {
        if (!controller.signal.aborted) setResult({ of: load, query: { status: "ready", value } });
      },
      (error: unknown) => {
        if (controller.signal.aborted) return;
        setResult((previous) => {
          const known =
            previous?.of === load && "value" in previous.query ? { value: previous.query.value as Value } : {};
          return { of: load, query: { status: "failed", error, ...known } };
        });
      },
    );
    return () => controller.abort();
  }, [load, attempt]);
  const reload = useCallback(() => setAttempt((previous) => previous + 1), []);
  const hasFailed = result?.query.status === "failed";
  useEffect(() => {
    if (!hasFailed) return;
    window.addEventListener("online", reload);
    return () => window.removeEventListener("online", reload);
  }, [hasFailed, reload]);
  // The result of another `load` is never shown: a price belongs to one token, and to no other.
  return { ...(result?.of === load ? result.query : loading), reload };
}
