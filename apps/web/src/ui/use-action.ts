import { isUnfinished } from "keeplight";
import { useCallback, useEffect, useRef, useState } from "react";

/** An action started by a button. */
export interface Action {
  status: "idle" | "busy" | "failed";
  error: unknown;
  /** Runs `work`; resolves to whether it succeeded. The error is kept in `error`. */
  run(work: (signal: AbortSignal) => Promise<unknown>): Promise<boolean>;
  /** Resumes after a failure, if only some of the key nodes were updated. */
  resume: (() => Promise<boolean>) | undefined;
  forget(): void;
}

/** One action at a time. Its signal is aborted on unmount; changes of key nodes leave it out, so that none is half done. */
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
  const resume = isUnfinished(error) ? () => run(() => error.resume({})) : undefined;
  return { status: state.status, error, run, resume, forget: useCallback(() => setState({ status: "idle" }), []) };
}
