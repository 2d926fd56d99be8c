import { isUnfinished } from "keeplight";
import { useCallback, useEffect, useRef, useState } from "react";

/** Something a person does with a button. */
export interface Action {
  status: "idle" | "busy" | "failed";
  error: unknown;
  /** Does it; what fails is kept in `error`. Resolves to whether it worked. */
  run(work: (signal: AbortSignal) => Promise<unknown>): Promise<boolean>;
  /** Goes on where it failed, where only some of the key nodes have done it. */
  resume: (() => Promise<boolean>) | undefined;
  forget(): void;
}

/** One action at a time, which ends when its screen goes. */
export function useAction(): Action {
  const [state, setState] = useState<{ status: Action["status"]; error?: unknown }>({ status: "idle" });
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const run = useCallback(async (work: (signal: AbortSignal) => Promise<unknown>) => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    setState({ status: "busy" });
    try {
      await work(controller.signal);
      if (!controller.signal.aborted) setState({ status: "idle" });
      return !controller.signal.aborted;
    } catch (error) {
      if (!controller.signal.aborted) setState({ status: "failed", error });
      return false;
    }
  }, []);
  const { error } = state;
  const resume = isUnfinished(error) ? () => run((signal) => error.resume({ signal })) : undefined;
  return { status: state.status, error, run, resume, forget: useCallback(() => setState({ status: "idle" }), []) };
}
