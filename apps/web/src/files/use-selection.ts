import { useCallback, useMemo, useState } from "react";
import type { Row } from "../drive/rows.ts";

const none: ReadonlySet<string> = new Set();

/** The selected rows of a list. */
interface Selection {
  ids: ReadonlySet<string>;
  /** Those that are shown. */
  rows: readonly Row[];
  select(ids: readonly string[], isSelected: boolean): void;
  clear(): void;
}

/**
 * @param shown - the rows of the list
 * @param view - what decides which rows those are: another one starts without a selection, as nothing is deleted that is hidden
 */
export function useSelection(shown: readonly Row[], view: string): Selection {
  const [state, setState] = useState({ view, ids: none });
  const ids = state.view === view ? state.ids : none;
  const rows = useMemo(() => (ids.size === 0 ? [] : shown.filter(({ id }) => ids.has(id))), [shown, ids]);
  const select = useCallback(
    (changed: readonly string[], isSelected: boolean) => {
      setState((known) => {
        const next = new Set(known.view === view ? known.ids : none);
        for (const id of changed) isSelected ? next.add(id) : next.delete(id);
        return { view, ids: next };
      });
    },
    [view],
  );
  const clear = useCallback(() => setState({ view, ids: none }), [view]);
  return { ids, rows, select, clear };
}
