import { useEffect, useEffectEvent } from "react";
import { useAccountData } from "../session/account-data.tsx";

/** Once the connection is back, loads the account's data again. */
export function useRetryOnline(): void {
  const { files, balance } = useAccountData();
  const retry = useEffectEvent(() => {
    void files.reload();
    void balance.reload();
  });
  useEffect(() => {
    const onOnline = () => retry();
    window.addEventListener("online", onOnline);
    return () => window.removeEventListener("online", onOnline);
  }, []);
}
