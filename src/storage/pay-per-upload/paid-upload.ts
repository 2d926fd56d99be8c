import { rawBody } from "#platform";
import { LIST_RESPONSE_BYTES, SHORT_TIMEOUT_MS } from "../../base/config/limits.ts";
import { isKeeplightError } from "../../base/errors/base.ts";
import { invalidSource } from "../../base/errors/input.ts";
import { aborted } from "../../base/errors/transport.ts";
import type { ResolvedCall } from "../../base/options.ts";
import { parseJson } from "../../base/validation/parse-json.ts";
import { checkCid } from "../../formats/cid/content-id.ts";
import { exchange } from "../../network/http/client.ts";
import type { TextResponse } from "../../network/http/response.ts";
import type { SourceFile } from "../../platform/types.ts";
import { listBlobs } from "../files/account-files.ts";
import { isKnown } from "../files/info.ts";
import type { ProgressReporter } from "../progress.ts";
import type { FileState } from "../upload/upload-entry.ts";
import type { UploadedFile } from "../upload/upload-response.ts";
import type { Order } from "./authorization.ts";
import { ignoreAnyFailure } from "./chain.ts";
import type { Paying } from "./options.ts";
import { openOrder, type PaidRequest, payFor } from "./pay.ts";
import { readTime, requestUploadPrice } from "./request-price.ts";
import { type Payment, readTerms, withAmount } from "./terms.ts";
import type { UploadReceipt } from "./types.ts";

/** One file that is paid for and sent. */
export interface PaidFile {
  file: SourceFile;
  order: Order;
  /** Returns the content ids that it may be stored under, as far as they are known. */
  listCids(): readonly string[];
  progress: ProgressReporter;
}

const PATH = "/api/upload";

/** A body of one byte: for its price, the service describes how it is paid. The file itself is sent once. */
const PROBE = 0;

/**
 * Pays for a file and sends it, or finds it if its order was paid before.
 *
 * @throws `INVALID_SOURCE`, `FILE_TOO_LARGE`; what {@link payFor} throws
 */
export async function uploadPaid(paid: PaidFile, paying: Paying, call: ResolvedCall): Promise<UploadedFile> {
  const { file, order } = paid;
  const { name } = file;
  const size = checkSize(file);
  let cid = "";
  const request: PaidRequest = {
    order,
    bytes: size,
    async quote() {
      const price = await requestUploadPrice(size, name, call);
      const timeoutMs = Math.min(call.timeoutMs, SHORT_TIMEOUT_MS);
      const response = await exchange({ method: "POST", ...toRequest(call, {}), json: PROBE, timeoutMs });
      return withAmount(readTerms(response, paying.network), String(price.amount));
    },
    send: (payment) => send(paid, payment, call),
    isAccepted: (response) => readStored(response) !== undefined,
    async isDone() {
      cid = (await findStored(paid.listCids(), call)) ?? "";
      return cid !== "";
    },
  };
  const { payment, amount, response } = await payFor(request, paying, call);
  const stored = response && readStored(response);
  const receipt = { ...payment, amount, id: stored?.id, expiresAt: stored?.expiresAt };
  return { Name: name, Hash: stored?.cid ?? cid, Size: String(size), receipt: withoutUndefined(receipt) };
}

/** Returns the size of a file that can be paid for; throws `INVALID_SOURCE`. */
export function checkSize({ name, size }: SourceFile): number {
  if (size === undefined) throw invalidSource("payPerUpload takes a file whose size is known", { name });
  if (size === 0) throw invalidSource(`${name} is empty, which the service does not store`, { name });
  return size;
}

/** Finds an encrypted file whose order is paid; `undefined` if it is not, as far as chain and network show. */
export async function findPaid(
  { name, attempts }: FileState,
  order: Order,
  paying: Paying,
  call: ResolvedCall,
): Promise<UploadedFile | undefined> {
  const { payment, readChain, findTransaction } = await openOrder(order, paying, call);
  if (!(await readChain())?.isUsed) return undefined;
  const cids = attempts.flatMap((attempt) => attempt.cids);
  const cid = await findStored(cids, call);
  if (cid === undefined) return undefined;
  return { Name: name, Hash: cid, receipt: withoutUndefined({ ...payment, transaction: await findTransaction() }) };
}

function toRequest(call: ResolvedCall, headers: Record<string, string>) {
  const { signal, idleTimeoutMs, timeoutMs, endpoints } = call;
  return { base: endpoints.x402, path: PATH, headers, signal, idleTimeoutMs, timeoutMs, maxBytes: LIST_RESPONSE_BYTES };
}

async function send({ file, progress }: PaidFile, { headers, secrets }: Payment, call: ResolvedCall) {
  const { size, name } = file;
  const request = toRequest(call, { "x-file-name": toHeader(name), ...headers });
  const body = await rawBody(file, {
    signal: call.signal,
    onPrepared: (bytes) => progress.report("preparing", bytes, size),
    onSent: (bytes) => progress.report("uploading", bytes, size),
  });
  try {
    return await exchange({ method: "POST", ...request, secrets, once: true }, body);
  } catch (error) {
    if (call.signal?.aborted) throw aborted(call.signal.reason);
    const failure = isKeeplightError(error, "NETWORK") ? await body.failure() : undefined;
    throw failure ?? error;
  } finally {
    await body.dispose();
  }
}

/** A header carries no other characters; the service stores the name as it arrives. */
function toHeader(name: string): string {
  const wellFormed = name.replace(/\p{Surrogate}/gu, "\ufffd");
  return wellFormed.replace(/[^\x20-\x7e]|%/gu, encodeURIComponent).trim() || "file";
}

/** Finds the content id by which the network knows a file, if it shows one. */
export async function findStored(cids: readonly string[], call: ResolvedCall): Promise<string | undefined> {
  const { signal, endpoints } = call;
  const short = { signal, endpoints, timeoutMs: Math.min(call.timeoutMs, SHORT_TIMEOUT_MS) };
  for (const cid of cids) {
    // The network lists blobs some time after the upload, and refuses until then.
    if (await isKnown(cid, short).catch(ignoreAnyFailure)) return cid;
    if ((await listBlobs(cid, short).catch(ignoreAnyFailure))?.length) return cid;
  }
  return undefined;
}

/** Reads where a file is stored; `undefined` if the service does not say. */
function readStored({ text }: TextResponse) {
  try {
    const { cid, id, expiresAt } = Object(parseJson(text)) as Record<string, unknown>;
    const own = typeof id === "string" && id !== "" ? id : undefined;
    return { cid: checkCid(cid), id: own, expiresAt: readTime(expiresAt) };
  } catch {
    return undefined;
  }
}

function withoutUndefined(receipt: UploadReceipt): UploadReceipt {
  const known = Object.entries(receipt).filter(([, value]) => value !== undefined);
  return Object.fromEntries(known) as unknown as UploadReceipt;
}
