import { queued } from "../../async/queue.ts";
import type { KeyNodes } from "./node-client.ts";

/**
 * Runs an owner's changes to the key of one file, or those to all files, in the order in which they were called. If a node delayed a share, a
 * revoke of the same person could overtake it: that person could then still open the file although the revoke has
 * reported success.
 *
 * @throws `ABORTED` while it waits; what `change` throws
 */
export function queueOwnerCall<T>({ call }: KeyNodes, cid: string | undefined, change: () => Promise<T>): Promise<T> {
  return queued(`${new URL(call.endpoints.keyNodes).host} ${cid}`, call.signal, change);
}
