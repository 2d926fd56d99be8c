import { isKeeplightError, isUnfinished, type Progress } from "keeplight";
import { useEffect, useRef, useState } from "react";
import type { HalfDone } from "../file/people-list.tsx";

/** The state of a change of who may open a folder. */
type ChangeState = { status: "idle" } | { status: "busy"; fraction: number } | FailedChange;

interface FailedChange {
  status: "failed";
  error: unknown;
  /** The calls that were to follow the one that failed. */
  rest: readonly Work[];
}

type Work = (options: ChangeOptions) => Promise<unknown>;

/** What a change of a folder takes: an abort leaves each file either changed or for later. */
interface ChangeOptions {
  signal: AbortSignal;
  onProgress: (progress: Progress) => void;
}

/** A file of a folder by its path, or the manifest, whose path is empty. */
interface ChangedPart {
  path: string;
  cid: string;
}

/** A change of who may open a folder: of its files, one after another. */
export interface FolderChange {
  state: ChangeState;
  /** The files, and the manifest, that are not changed yet, after a failure. */
  unfinished: readonly ChangedPart[];
  /** The change that is running, or was the last one. */
  latest: HalfDone | undefined;
  /** Makes the calls of a change, one after another. Resolves to whether it is complete. */
  run(change: HalfDone, works: readonly Work[]): Promise<boolean>;
  /** Changes what is unfinished, and makes the calls that were to follow. */
  resume: (() => Promise<boolean>) | undefined;
  abort(): void;
}

export function useFolderChange(): FolderChange {
  const [state, setState] = useState<ChangeState>({ status: "idle" });
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const [latest, setLatest] = useState<HalfDone>();

  async function run(works: readonly Work[]): Promise<boolean> {
    if (running.current) return false;
    const controller = new AbortController();
    running.current = controller;
    setState({ status: "busy", fraction: 0 });
    let done = 0;
    try {
      const onProgress = ({ fraction }: Progress) =>
        setState({ status: "busy", fraction: (done + fraction) / works.length });
      for (const work of works) {
        await work({ signal: controller.signal, onProgress });
        done++;
      }
      setState({ status: "idle" });
      return true;
    } catch (error) {
      setState({ status: "failed", error, rest: works.slice(done + 1) });
      return false;
    } finally {
      running.current = undefined;
    }
  }

  const { error, rest } = state.status === "failed" ? state : { error: undefined, rest: [] };
  const unfinished = isKeeplightError(error) ? error.details["unfinished"] : undefined;
  return {
    state,
    unfinished: Array.isArray(unfinished) ? (unfinished as ChangedPart[]) : [],
    latest,
    async run(change, works) {
      if (running.current) return false;
      setLatest(change);
      return run(works);
    },
    resume: isUnfinished(error) ? () => run([(options) => error.resume(options), ...rest]) : undefined,
    abort: () => running.current?.abort(),
  };
}
