import type { AccessConditions } from "keeplight";
import { useKit } from "./kit-provider.ts";
import { type Loaded, useLoad } from "./use-load.ts";

/** Who may open an encrypted file. */
export function useAccess(cid: string): Loaded<AccessConditions> {
  const kit = useKit();
  const { state, reload } = useLoad<AccessConditions>(
    (signal) => kit.kavachGetAccessConditions(cid, { signal }),
    kit,
    cid,
  );
  return { state, reload };
}
