import { useCallback, useMemo, useState } from "react";
import type { Row } from "../drive/rows.ts";

const none: ReadonlySet<string> = new Set();

/** The selected rows of a list. */
interface Selection {
  ids: ReadonlySet<string>;
  /** Those that are in the list. */
  rows: readonly Row[];
  select(ids: readonly string[], isSelected: boolean): void;
  clear(): void;
}

export function useSelection(all: readonly Row[]): Selection {
  const [ids, setIds] = useState(none);
  const rows = useMemo(() => (ids.size === 0 ? [] : all.filter(({ id }) => ids.has(id))), [all, ids]);
  const select = useCallback((changed: readonly string[], isSelected: boolean) => {
    setIds((known) => {
      const next = new Set(known);
      for (const id of changed) isSelected ? next.add(id) : next.delete(id);
      return next;
    });
  }, []);
  const clear = useCallback(() => setIds(none), []);
  return { ids, rows, select, clear };
}
