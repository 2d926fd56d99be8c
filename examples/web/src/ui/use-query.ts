import { useCallback, useEffect, useState } from "react";

/** Something a screen asks for when it comes. */
export type Asked<Value> =
  | { status: "loading"; value?: undefined }
  | { status: "ready"; value: Value }
  | { status: "failed"; error: unknown; value?: Value };

const loading: Asked<never> = { status: "loading" };

/**
 * Asks when the screen comes, and anew, from nothing, when `ask` changes (it belongs into `useCallback`). `again`
 * asks the same once more and keeps showing what is known until then.
 */
export function useAsked<Value>(ask: (signal: AbortSignal) => Promise<Value>): Asked<Value> & { again: () => void } {
  const [answer, setAnswer] = useState<{ to: typeof ask; asked: Asked<Value> }>();
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `attempt` asks again.
  useEffect(() => {
    const controller = new AbortController();
    ask(controller.signal).then(
      (value) => {
        if (!controller.signal.aborted) setAnswer({ to: ask, asked: { status: "ready", value } });
      },
      (error: unknown) => {
        if (controller.signal.aborted) return;
        setAnswer((before) => {
          const known = before?.to === ask && "value" in before.asked ? { value: before.asked.value as Value } : {};
          return { to: ask, asked: { status: "failed", error, ...known } };
        });
      },
    );
    return () => controller.abort();
  }, [ask, attempt]);
  const again = useCallback(() => setAttempt((before) => before + 1), []);
  // An answer to another question is none: a price is of one token, and of no other.
  return { ...(answer?.to === ask ? answer.asked : loading), again };
}
