import { type Journal, openJournal } from "keeplight";
import { useCallback, useEffect, useMemo, useState } from "react";
import { useProvided } from "./kit-provider.ts";
import type { ResumedResult, ResumeOptions } from "./open-operations.ts";
import { useStoreState } from "./store.ts";
import type { ResumeAllOptions, UnfinishedOperation } from "./unfinished-manager.ts";
import { initialState, type Loaded, type LoadState } from "./use-load.ts";
import { useTask } from "./use-task.ts";

/** What {@link useUnfinished} returns. The functions keep their identity, and never throw. */
export interface UseUnfinished extends Loaded<readonly UnfinishedOperation[]> {
  /**
   * Completes an operation as the account that started it, with the provider's options. Returns `undefined` if that
   * fails; the error is in its `state`. Nothing is paid before the open transaction of a payment was looked up.
   */
  resume(id: string, options?: ResumeOptions): Promise<ResumedResult | undefined>;
  /**
   * Completes all that nobody works on, oldest first, one at a time; payments only with `payment`. Returns those that
   * succeeded.
   */
  resumeAll(options?: ResumeAllOptions): Promise<ResumedResult[]>;
  /** Stops completing one operation, or all; they stay open. */
  abort(id?: string): void;
  /**
   * Removes an operation without completing it; returns whether it is gone. The keys of an upload whose files are stored
   * are lost with it, and a payment may still be carried out by the chain.
   */
  discard(id: string): Promise<boolean>;
}

/**
 * What was interrupted: the open operations of the provider's journal, oldest first; empty without a journal. Not those
 * that run in this page, or that failed in it and are retried where they were started. Those of another tab have the
 * `worker` `elsewhere`. Loads on mount, when another tab changes the journal or ends, when the page is shown again, and
 * by `reload`. What is resumed continues when the component unmounts; when the provider unmounts, it is aborted.
 *
 * @example
 * const { state, resume } = useUnfinished();
 * return state.value?.map(({ id, names }) => <button key={id} onClick={() => resume(id)}>Resume {names.join()}</button>);
 */
export function useUnfinished(): UseUnfinished {
  const { unfinished: manager } = useProvided();
  const state = useStoreState(manager, initialState);
  useEffect(() => void manager.reload(), [manager]);
  const { reload, resume, resumeAll, abort, discard } = manager;
  return { state, reload, resume, resumeAll, abort, discard };
}

/**
 * Opens a journal of this site, for the provider's option `journal`: encrypted uploads, payments and changes of access
 * then survive the page, and {@link useUnfinished} offers what was interrupted. Opens another one when `name` changes;
 * `reload` opens it again, after `JOURNAL_CLOSED`.
 *
 * @param name - of a database (IndexedDB) for nothing else, such as one per account. Without it the value is `undefined`
 *
 * @example
 * const { state } = useJournal(`uploads of ${address}`);
 * if (state.status === "ready") return <KitProvider options={{ apiKey, signer, journal: state.value }}>…</KitProvider>;
 */
export function useJournal(name: string | undefined): Loaded<Journal | undefined> {
  const { store, controls } = useTask<Journal | undefined, never>(undefined, name);
  const { state: task } = controls;
  const [known, setKnown] = useState<{ name: string; journal: Journal }>();

  const reload = useCallback(async () => {
    await store.start(async () => {
      const journal = name === undefined ? undefined : await openJournal({ name });
      if (journal && name !== undefined) setKnown({ name, journal });
      return journal;
    });
  }, [store, name]);
  useEffect(() => {
    if (task.status === "idle") void reload();
  }, [task, reload]);

  const state = useMemo((): LoadState<Journal | undefined> => {
    if (task.status === "done") return { status: "ready", value: task.result };
    const previous = known?.name === name ? { value: known?.journal } : {};
    return task.status === "failed"
      ? { status: "failed", error: task.error, ...previous }
      : { ...initialState, ...previous };
  }, [task, known, name]);
  return { state, reload };
}
