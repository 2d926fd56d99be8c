import { type CidVersion, formatCid } from "../../cid/content-id.ts";
import { hashFile } from "../../cid/file.ts";
import { TRANSFER_TIMEOUT_MS } from "../../config/limits.ts";
import { receive } from "../../http/receive.ts";
import { type CallOptions, resolveCall } from "../../options.ts";
import type { ExpectedCids } from "./encrypted-cids.ts";

/** Reads a stored file back, in constant memory, and returns whether it is the one that was sent, by its content id. */
export async function isStoredAs(
  cid: string,
  expected: ExpectedCids | undefined,
  cidVersion: CidVersion,
  options: CallOptions,
): Promise<boolean> {
  const { endpoints, signal, timeoutMs, idleTimeoutMs } = resolveCall(options, TRANSFER_TIMEOUT_MS);
  const path = `/api/v0/cat/${cid}`;
  const request = { method: "POST", base: endpoints.gateway[0], path, signal, timeoutMs, idleTimeoutMs } as const;
  const hasher = hashFile(cidVersion);
  let left = expected?.size ?? 0;
  await receive(request, async ({ chunks }) => {
    for await (const chunk of chunks) {
      left -= chunk.length;
      if (left < 0) break;
      await hasher.update(chunk);
    }
  });
  return left === 0 && expected?.has(formatCid((await hasher.finish()).cid)) === true;
}
