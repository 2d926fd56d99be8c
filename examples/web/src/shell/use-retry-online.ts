import { isKeeplightError } from "keeplight";
import { useEffect, useEffectEvent } from "react";
import { useAccountData } from "../session/account-data.tsx";
import { useAppUploads } from "../uploads/uploads-provider.tsx";

/** Once the connection is back, loads the account's data again, and retries uploads that failed without it. */
export function useRetryOnline(): void {
  const { files, balance } = useAccountData();
  const { encrypted, open } = useAppUploads();
  const retry = useEffectEvent(() => {
    void files.reload();
    void balance.reload();
    for (const list of [encrypted, open]) {
      for (const { id, state } of list.uploads) if (state.status === "failed" && isOffline(state.error)) list.retry(id);
    }
  });
  useEffect(() => {
    const onOnline = () => retry();
    window.addEventListener("online", onOnline);
    return () => window.removeEventListener("online", onOnline);
  }, []);
}

function isOffline(error: unknown): boolean {
  return isKeeplightError(error) && (error.code === "NETWORK" || error.code === "TIMEOUT");
}
