import { useCallback, useEffect, useState } from "react";

/** Something a screen asks for when it comes. */
export type Asked<Value> =
  | { status: "loading"; value?: Value }
  | { status: "ready"; value: Value }
  | { status: "failed"; error: unknown; value?: Value };

/**
 * Asks when the screen comes and when `ask` changes (it belongs into `useCallback`); `again` asks anew and keeps
 * showing what is known.
 */
export function useAsked<Value>(ask: (signal: AbortSignal) => Promise<Value>): Asked<Value> & { again: () => void } {
  const [state, setState] = useState<Asked<Value>>({ status: "loading" });
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `attempt` asks again.
  useEffect(() => {
    const controller = new AbortController();
    ask(controller.signal).then(
      (value) => {
        if (!controller.signal.aborted) setState({ status: "ready", value });
      },
      (error: unknown) => {
        if (!controller.signal.aborted) setState((before) => ({ ...before, status: "failed", error }));
      },
    );
    return () => controller.abort();
  }, [ask, attempt]);
  const again = useCallback(() => setAttempt((before) => before + 1), []);
  return { ...state, again };
}
