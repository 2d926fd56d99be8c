import { TRANSFER_TIMEOUT_MS } from "../../base/config/limits.ts";
import { pickOptions } from "../../base/operation.ts";
import { callSchema, resolveCall } from "../../base/options.ts";
import { isKnown } from "../files/info.ts";
import { loadOnDemand } from "../load-on-demand.ts";
import { restoreExpected } from "../upload/encrypted-cids.ts";
import { getVouchedCid } from "../upload/finish-upload.ts";
import type { ResolvedUpload } from "../upload/upload-encrypted.ts";
import type { FileState } from "../upload/upload-entry.ts";
import { requirePayer } from "../upload/upload-payer.ts";
import type { UploadedFile } from "../upload/upload-response.ts";
import type { ResumingOptions } from "./journal.ts";

/**
 * Finds out where a file of an interrupted upload is stored; `undefined` if it is not. A content id that the upload node
 * reported and that was not computed is the last to be considered, and only if its bytes are those of the file.
 *
 * @throws `INVALID_OPTION` for what was to be paid for, without who pays, an API key or an endpoint
 */
export async function locateFile(
  file: FileState,
  cids: ResumingOptions["cids"],
  options: ResolvedUpload,
  order?: object,
): Promise<UploadedFile | undefined> {
  const { name, stored, attempts, nodesDone } = file;
  const vouched = getVouchedCid(cids, name);
  if (vouched !== undefined) return { Name: name, Hash: vouched };
  const isExpected = (cid: string) => attempts.some((attempt) => restoreExpected(attempt).has(cid));
  // A node has a shard only under a content id that was confirmed.
  if (stored && (nodesDone.length > 0 || isExpected(stored.Hash))) return stored;
  // A service may store what it is not paid for, and forget it.
  if (order && (options.apiKey ?? options.via) === undefined) {
    const sent = attempts.flatMap((attempt) => attempt.cids);
    return requirePayer(options.payPerUpload).find({ name, order, cids: sent }, resolveCall(options));
  }
  const call = pickOptions(options, callSchema);
  for (const { cids: expected, size } of attempts) {
    for (const cid of expected) {
      // Nobody else can compute it: its salt is random.
      if (await isKnown(cid, call)) return { Name: name, Hash: cid, Size: String(size) };
    }
  }
  const [latest] = attempts;
  if (!stored || !latest || !(await isKnown(stored.Hash, call))) return undefined;
  const { isStoredAs } = await loadOnDemand();
  const transfer = resolveCall(options, TRANSFER_TIMEOUT_MS);
  const isSame = await isStoredAs(stored.Hash, restoreExpected(latest), options.cidVersion, transfer);
  return isSame ? stored : undefined;
}
