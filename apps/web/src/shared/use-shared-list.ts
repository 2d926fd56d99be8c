import { useCallback, useEffect, useMemo } from "react";
import { useSession } from "../session/session.ts";
import { useQuery } from "../ui/use-query.ts";
import { openSharedList } from "./shared-list.ts";

/** The files shared with the account: loads them on mount, and again when any tab changes them. */
export function useSharedList() {
  const { journal } = useSession();
  const list = useMemo(() => openSharedList(journal), [journal]);
  const load = useCallback(() => list.load(), [list]);
  const query = useQuery(load);
  const { reload } = query;
  useEffect(() => list.subscribe(reload), [list, reload]);
  return { query, list };
}
