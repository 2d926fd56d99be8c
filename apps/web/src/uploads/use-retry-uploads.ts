import type { Uploads } from "@keeplight/react";
import { isKeeplightError } from "keeplight";
import { useEffect, useEffectEvent } from "react";

/** Once the connection is back, retries the uploads that failed without it. */
export function useRetryUploads(lists: readonly Pick<Uploads<object>, "uploads" | "retry">[]): void {
  const retryAll = useEffectEvent(() => {
    for (const { uploads, retry } of lists) {
      retry(uploads.flatMap(({ id, state }) => (state.status === "failed" && isOffline(state.error) ? [id] : [])));
    }
  });
  useEffect(() => {
    const onOnline = () => retryAll();
    window.addEventListener("online", onOnline);
    return () => window.removeEventListener("online", onOnline);
  }, []);
}

function isOffline(error: unknown): boolean {
  return isKeeplightError(error) && (error.code === "NETWORK" || error.code === "TIMEOUT");
}
