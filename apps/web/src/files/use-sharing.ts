import { useCallback, useEffect, useMemo } from "react";
import { useSession } from "../session/session.ts";
import { useQuery } from "../ui/use-query.ts";
import { openSharingRecord } from "./sharing-record.ts";

const nobody: ReadonlyMap<string, readonly string[]> = new Map();

/** The addresses that the account's files are shared with, by content id, as far as this browser knows. */
export function useSharing(): ReadonlyMap<string, readonly string[]> {
  const { journal } = useSession();
  const record = useMemo(() => openSharingRecord(journal), [journal]);
  const load = useCallback(
    async () => new Map((await record.load()).map((file) => [file.cid, file.sharedTo])),
    [record],
  );
  const { value = nobody, reload } = useQuery(load);
  useEffect(() => record.subscribe(reload), [record, reload]);
  return value;
}

/** Records whom an own file is shared with, once it is known. */
export function useRecordSharing(cid: string, sharedTo: readonly string[] | undefined): void {
  const { journal } = useSession();
  const addresses = sharedTo?.join();
  useEffect(() => {
    if (addresses === undefined) return;
    // Without it, for example in a private window, the list does not show it.
    openSharingRecord(journal)
      .set(cid, addresses === "" ? [] : addresses.split(","))
      .catch(() => undefined);
  }, [cid, addresses, journal]);
}
