import { useKit } from "@keeplight/react";
import type { Kit, ListedFile } from "keeplight";
import { useCallback, useEffect, useEffectEvent, useRef, useState } from "react";

/** All files of the account. */
export interface AllFiles {
  /** The newest first; those loaded so far while the first loading runs. */
  files: readonly ListedFile[];
  /** `refreshing` while known files are loaded again. */
  status: "loading" | "refreshing" | "ready" | "failed";
  /** Whether `files` are all of them, as of the last time that they were loaded. */
  isComplete: boolean;
  error: unknown;
  /** Loads all of them again; what is known stays until then. */
  reload(): Promise<void>;
}

type State = Omit<AllFiles, "reload"> & { kit: Kit };

/** How many files are added to the list at once while it is loaded for the first time: a page of the network. */
const STEP = 2_000;
/** How old the list has to be, in milliseconds, to be loaded again when the window is focused. */
const STALE_MS = 10_000;

/**
 * Loads the files of the account on mount, when the window is focused again, and when another tab has changed them.
 *
 * @param onStale - called then, but on mount
 */
export function useAllFiles(onStale: () => void): AllFiles {
  const kit = useKit();
  const [state, setState] = useState<State>(() => createState(kit));
  const running = useRef<AbortController>(undefined);
  const loadedAt = useRef(0);
  const tabs = useRef<BroadcastChannel>(undefined);
  const stale = useEffectEvent(onStale);

  const load = useCallback(async () => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    const { signal } = controller;
    const update = (change: (known: State) => State) => {
      if (!signal.aborted) setState((known) => change(known.kit === kit ? known : createState(kit)));
    };
    update((known) => ({ ...known, status: known.files.length > 0 ? "refreshing" : "loading", error: undefined }));
    loadedAt.current = Date.now();
    try {
      const files: ListedFile[] = [];
      for await (const file of kit.iterateFiles({ signal })) {
        files.push(file);
        if (files.length % STEP === 0) {
          const sofar = [...files];
          update((known) => (known.status === "loading" ? { ...known, files: sofar } : known));
        }
      }
      update(() => ({ kit, files, status: "ready", isComplete: true, error: undefined }));
    } catch (error) {
      update((known) => ({ ...known, status: "failed", error }));
    }
  }, [kit]);

  useEffect(() => {
    void load();
    const channel = new BroadcastChannel("keeplight files");
    tabs.current = channel;
    const refresh = () => {
      if (document.visibilityState !== "visible" || Date.now() - loadedAt.current <= STALE_MS) return;
      void load();
      stale();
    };
    // A tab that is hidden loads when it is shown.
    channel.onmessage = () => {
      loadedAt.current = 0;
      refresh();
    };
    window.addEventListener("focus", refresh);
    document.addEventListener("visibilitychange", refresh);
    return () => {
      channel.close();
      tabs.current = undefined;
      window.removeEventListener("focus", refresh);
      document.removeEventListener("visibilitychange", refresh);
      running.current?.abort();
    };
  }, [load]);

  const reload = useCallback(async () => {
    // By the channel that listens, so that this tab does not receive it.
    tabs.current?.postMessage("changed");
    await load();
  }, [load]);

  const { files, status, isComplete, error } = state.kit === kit ? state : createState(kit);
  return { files, status, isComplete, error, reload };
}

function createState(kit: Kit): State {
  return { kit, files: [], status: "loading", isComplete: false, error: undefined };
}
