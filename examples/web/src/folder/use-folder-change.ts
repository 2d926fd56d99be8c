import { isKeeplightError, isUnfinished, type Progress } from "keeplight";
import { useEffect, useRef, useState } from "react";

/** The state of a change of who may open a folder. */
type ChangeState = { status: "idle" } | { status: "busy"; fraction: number } | { status: "failed"; error: unknown };

/** What a change of a folder takes: an abort leaves each file either changed or for later. */
interface ChangeOptions {
  signal: AbortSignal;
  onProgress: (progress: Progress) => void;
}

/** A change of who may open a folder: of its files, one after another. */
export interface FolderChange {
  state: ChangeState;
  /** How many files are not changed yet, after a failure. */
  remaining: number;
  /** Resolves to whether it is complete. */
  run(change: (options: ChangeOptions) => Promise<unknown>): Promise<boolean>;
  /** Changes the remaining files. */
  resume: (() => Promise<boolean>) | undefined;
  abort(): void;
}

export function useFolderChange(): FolderChange {
  const [state, setState] = useState<ChangeState>({ status: "idle" });
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  async function run(change: (options: ChangeOptions) => Promise<unknown>): Promise<boolean> {
    if (running.current) return false;
    const controller = new AbortController();
    running.current = controller;
    setState({ status: "busy", fraction: 0 });
    try {
      const onProgress = ({ fraction }: Progress) => setState({ status: "busy", fraction });
      await change({ signal: controller.signal, onProgress });
      setState({ status: "idle" });
      return true;
    } catch (error) {
      setState({ status: "failed", error });
      return false;
    } finally {
      running.current = undefined;
    }
  }

  const error = state.status === "failed" ? state.error : undefined;
  const unfinished = isKeeplightError(error) ? error.details["unfinished"] : undefined;
  return {
    state,
    // The manifest, which has no path, is no file of the folder.
    remaining: Array.isArray(unfinished) ? unfinished.filter((part: { path: string }) => part.path !== "").length : 0,
    run,
    resume: isUnfinished(error) ? () => run((options) => error.resume(options)) : undefined,
    abort: () => running.current?.abort(),
  };
}
