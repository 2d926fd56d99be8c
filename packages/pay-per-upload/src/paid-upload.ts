import { isKeeplightError, listBlobs, type UploadedFile, type UploadReceipt } from "keeplight";
import {
  checkCid,
  exchange,
  invalidSource,
  isKnown,
  rawBody,
  type SourceFile,
  throwIfAborted,
  type UploadPayment,
} from "keeplight/parts";
import type { Order } from "./authorization.ts";
import { type Call, SHORT_TIMEOUT_MS, type TextResponse } from "./call.ts";
import { ignoreAnyFailure } from "./errors.ts";
import type { Paying } from "./options.ts";
import { openOrder, type PaidRequest, payFor } from "./pay.ts";
import { readFields, readTime, requestUploadPrice } from "./price.ts";
import { type Payment, readTerms, withAmount } from "./terms.ts";

type Ordered<Step extends "uploadEncrypted" | "find"> = Omit<Parameters<UploadPayment[Step]>[0], "order"> & {
  order: Order;
};

/** One file that is paid for and sent. */
export type PaidFile = Ordered<"uploadEncrypted">;

export const PATH = "/api/upload";

/** The service describes one file: what it adds must not make an upload that is paid for fail. */
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;

/** A body of one byte: for its price, the service describes how it is paid. The file itself is sent once. */
const PROBE = 0;

/**
 * Pays for a file and sends it, or finds it if its order was paid before.
 *
 * @throws `INVALID_SOURCE`, `FILE_TOO_LARGE`; what {@link payFor} throws
 */
export async function uploadPaid(paid: PaidFile, paying: Paying, call: Call): Promise<UploadedFile> {
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

/** Throws `INVALID_SOURCE` for a file that cannot be sent once more for the same payment. */
export function checkFile(file: SourceFile): void {
  if (!file.rereadable) throw invalidSource("payPerUpload takes what can be read again: a path, a Blob or bytes");
  checkSize(file);
}

function checkSize({ name, size }: SourceFile): number {
  if (size === undefined) throw invalidSource("payPerUpload takes a file whose size is known", { name });
  if (size === 0) throw invalidSource(`${name} is empty, which the service does not store`, { name });
  return size;
}

/** Finds an encrypted file whose order is paid; `undefined` if it is not, as far as chain and network show. */
export async function findPaid(
  { name, cids, order }: Ordered<"find">,
  paying: Paying,
  call: Call,
): Promise<UploadedFile | undefined> {
  const { payment, readChain, findTransaction } = await openOrder(order, paying, call);
  if (!(await readChain())?.isUsed) return undefined;
  const cid = await findStored(cids, call);
  if (cid === undefined) return undefined;
  return { Name: name, Hash: cid, receipt: withoutUndefined({ ...payment, transaction: await findTransaction() }) };
}

function toRequest(call: Call, headers: Record<string, string>) {
  const { signal, idleTimeoutMs, timeoutMs, endpoints } = call;
  return { base: endpoints.x402, path: PATH, headers, signal, idleTimeoutMs, timeoutMs, maxBytes: MAX_RESPONSE_BYTES };
}

async function send({ file, progress }: PaidFile, { headers, secrets }: Payment, call: Call) {
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
    throwIfAborted(call.signal);
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
export async function findStored(cids: readonly string[], call: Call): Promise<string | undefined> {
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
function readStored(response: TextResponse) {
  try {
    const { cid, id, expiresAt } = readFields(response);
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
