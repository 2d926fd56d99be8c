import type { Uploads } from "@keeplight/react";
import { isKeeplightError } from "keeplight";
import { useEffect, useEffectEvent } from "react";

/** Once the connection is back, retries the uploads that failed without it. */
export function useRetryUploads(lists: readonly Pick<Uploads<object>, "uploads" | "retry">[]): void {
  const retry = useEffectEvent(() => {
    for (const list of lists) {
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
