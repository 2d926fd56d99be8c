import { useEffect, useEffectEvent } from "react";
import { useAccountData } from "../session/account-data.tsx";

/** Once the connection is back, loads the account's data again. */
export function useRetryOnline(): void {
  const { files, drive } = useAccountData();
  const retry = useEffectEvent(() => {
    void files.reload();
    if (drive.status === "failed") void drive.reload();
  });
  useEffect(() => {
    const onOnline = () => retry();
    window.addEventListener("online", onOnline);
    return () => window.removeEventListener("online", onOnline);
  }, []);
}
