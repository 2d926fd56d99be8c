import { useInsertionEffect } from "react";
import type { BoundKit } from "./bound-kit.ts";
import type { UploadManager } from "./upload-manager.ts";

/**
 * Ties the uploads to their provider. Of all effects only insertion effects end on unmount alone: the others end as well
 * while an `<Activity>` or a `<Suspense>` above hides the provider.
 */
export function useManager(manager: UploadManager, bound: BoundKit): void {
  useInsertionEffect(() => manager.use(bound), [manager, bound]);
  useInsertionEffect(() => {
    let isMounted = true;
    manager.open();
    return () => {
      isMounted = false;
      // An insertion effect may not update components, which the end of their uploads does.
      queueMicrotask(() => {
        if (!isMounted) manager.close();
      });
    };
  }, [manager]);
}
