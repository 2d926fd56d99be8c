import { useInsertionEffect } from "react";
import type { BoundKit } from "./bound-kit.ts";
import type { Disposable } from "./use-lifetime.ts";

/** Work that outlives the components that show it. */
interface Manager extends Disposable {
  /** Works with this kit from now on. */
  use(bound: BoundKit): void;
}

/**
 * Ties work to their provider. Of all effects only insertion effects end on unmount alone: the others end as well
 * while an `<Activity>` or a `<Suspense>` above hides the provider.
 */
export function useManager(manager: Manager, bound: BoundKit): void {
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
