import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { afterEach, describe, expect, test } from "vitest";
import {
  isUnfinished,
  openJournal,
  type UploadedFiles,
  type UploadReceipt,
  uploadBuffer,
  uploadEncrypted,
} from "../../../src/index.ts";
import { exchange } from "../../../src/network/http/client.ts";
import { rawBody } from "../../../src/platform/node/upload-body.ts";
import { createHashedUpload } from "../../../src/storage/upload/encrypted-cids.ts";
import { as } from "../../../test/kavach/saved-keys.ts";
import { failure } from "../../../test/support/failure.ts";
import { scratch } from "../../../test/support/files.ts";
import { createServer, sendJson } from "../../../test/support/http-server.ts";
import { type PayPerUploadOptions, payPerUpload } from "../src/index.ts";
import { payerForTests, receiptOf } from "./rig.ts";

const { devnet, paying, terms, reading, balance, countPayments, wallet, provider } = payerForTests({
  x402: { honours: true },
});

afterEach(() => {
  devnet().faults.clear();
  devnet().setUploadPrice(0.0005);
});

const bytes = (size = 1_000) => new Uint8Array(randomBytes(size));
const own = (changed: Partial<PayPerUploadOptions> = {}) => ({ ...as(devnet(), 0), ...paying(changed) });

/** The next payment is taken, and nothing is stored. */
const takeOnce = () =>
  devnet().faults.add({ service: "x402", times: 1, action: { kind: "settle", how: "early-and-fail" } });

/** An upload whose payment was taken, while its file was not stored. */
async function interrupt(call: () => Promise<UploadedFiles>) {
  takeOnce();
  const error = await failure(call());
  if (!isUnfinished<UploadedFiles, object>(error)) throw new Error("it cannot be resumed");
  return error;
}

/** What would make another order of it. */
const others: [string, () => { payPerUpload?: Partial<PayPerUploadOptions>; endpoints?: object }, string][] = [
  ["another order", () => ({ payPerUpload: { orderId: "other" } }), "payPerUpload.orderId"],
  ["another payer", () => ({ payPerUpload: { signer: wallet(1) } }), "payPerUpload.signer"],
  [
    "another chain",
    () => ({ payPerUpload: { network: { ...reading().network, chainId: 1 } } }),
    "payPerUpload.network",
  ],
  [
    "another token",
    () => ({ payPerUpload: { network: { ...reading().network, usdc: `0x${"11".repeat(20)}` } } }),
    "payPerUpload.network",
  ],
  [
    "another service",
    () => ({ endpoints: { ...devnet().endpoints, x402: devnet().endpoints.upload } }),
    "endpoints.x402",
  ],
];

describe("what was started for one order is not continued for another", () => {
  test.each(others)("in its journal: %s", async (_, change, option) => {
    const folder = await scratch();
    await writeFile(`${folder}/a.bin`, bytes());
    const journal = await openJournal({ folder: `${folder}/journal` });
    const before = await balance();
    await interrupt(() => uploadEncrypted(`${folder}/a.bin`, { ...own(), journal }));
    const [open] = await journal.list();
    expect(open?.payPerUpload).toEqual({ maxAmount: 10_000_000n });
    const { payPerUpload: others, endpoints = devnet().endpoints } = change();
    const changed = { ...as(devnet(), 0), endpoints, payPerUpload: payPerUpload({ ...terms(), ...others }) };
    const error = await failure(journal.resume(open?.id ?? "", changed as never));
    expect(error).toMatchObject({ code: "INVALID_OPTION", details: { option } });
    const { network: _network, ...rest } = terms();
    const { result } = await journal.resume(open?.id ?? "", { ...as(devnet(), 0), payPerUpload: payPerUpload(rest) });
    expect(receiptOf(result as UploadedFiles).payer).toBe(wallet(0).address.toLowerCase());
    expect(before - (await balance())).toBe(32_500n);
    expect(await journal.list()).toEqual([]);
  });

  test.each(others)("by its error: %s", async (_, change, option) => {
    const before = await balance();
    const error = await interrupt(() => uploadEncrypted(new File([bytes()], "a.bin"), own()));
    const { payPerUpload: others, endpoints = devnet().endpoints } = change();
    const changed = { endpoints, payPerUpload: payPerUpload({ ...terms(), ...others }) };
    const refused = await failure(error.resume(changed));
    expect(refused).toMatchObject({ code: "INVALID_OPTION", details: { option } });
    // It can still be resumed.
    if (!isUnfinished<UploadedFiles, object>(refused)) throw new Error("it cannot be resumed");
    await refused.resume(paying());
    expect(before - (await balance())).toBe(32_500n);
  });
});

test.each<[string, () => Promise<UploadedFiles>]>([
  ["plain", () => uploadBuffer(bytes(), paying())],
  ["encrypted", () => uploadEncrypted(new File([bytes()], "a.bin"), own())],
])("a %s upload can be resumed as often as it fails", async (_, call) => {
  let error = await interrupt(call);
  for (const path of ["/api/upload/price", "/api/upload"]) {
    const remove = devnet().faults.add({ service: "x402", path, action: { kind: "respond", status: 500 } });
    const again = await failure(error.resume());
    remove();
    expect(again.details["payment"]).toBeDefined();
    if (!isUnfinished<UploadedFiles, object>(again)) throw new Error("it cannot be resumed");
    error = again;
  }
  const { nonce } = receiptOf(await error.resume());
  expect(await countPayments(nonce)).toBe(1);
});

test.each<[string, () => Promise<UploadedFiles>]>([
  ["plain", () => uploadBuffer(bytes(), paying())],
  ["encrypted", () => uploadEncrypted(new File([bytes()], "a.bin"), own())],
])("a %s upload that is not paid yet can be resumed as often, too", async (_, call) => {
  const refuse = (path: string, after: number) =>
    devnet().faults.add({ service: "x402", path, after, action: { kind: "respond", status: 500 } });
  let serve = refuse("/api/upload", 2);
  let error = await failure(call());
  serve();
  const { nonce } = error.details["payment"] as UploadReceipt;
  if (!isUnfinished<UploadedFiles, object>(error)) throw new Error("it cannot be resumed");
  serve = refuse("/api/upload/price", 0);
  error = await failure(error.resume());
  serve();
  if (!isUnfinished<UploadedFiles, object>(error)) throw new Error("it cannot be resumed");
  expect(receiptOf(await error.resume()).nonce).toBe(nonce);
  expect(await countPayments(nonce)).toBe(1);
});

test("what was paid at one price is sent again for that, whatever the price is by then", async () => {
  const before = await balance();
  const encrypted = await interrupt(() => uploadEncrypted(new File([bytes()], "a.bin"), own()));
  const plain = await interrupt(() => uploadBuffer(bytes(), paying({ maxAmount: 40_000 })));
  devnet().setUploadPrice(0.001);
  await encrypted.resume();
  await plain.resume();
  expect(before - (await balance())).toBe(65_000n);
});

test("an encrypted upload that the network shows late is resumed with the key of the attempt that is stored", async () => {
  const action = { kind: "respond", status: 500, served: true } as const;
  devnet().faults.add({ service: "x402", method: "POST", path: /^\/api\/upload$/, after: 1, times: 1, action });
  const hide = ["/api/lighthouse/file_info", "/api/lighthouse/walrus_blobs"].map((path) =>
    devnet().faults.add({ service: "api", path, action: { kind: "respond", status: 404 } }),
  );
  const error = await failure(uploadEncrypted(new File(["secret"], "a.txt"), own()));
  if (!isUnfinished<UploadedFiles, object>(error)) throw new Error("it cannot be resumed");
  setTimeout(() => {
    for (const show of hide) show();
  }, 1_000);
  const resumed = [1, 2].map(() => error.resume({ payPerUpload: paying({ waitMs: 60_000 }).payPerUpload }));
  const [first, second] = await Promise.all(resumed);
  expect(first?.[0].Hash).toBe(second?.[0].Hash);
  expect(await countPayments((error.details["payment"] as UploadReceipt).nonce)).toBe(1);
});

test("nobody has all of a file before its content ids are known", async () => {
  const arrived: number[] = [];
  let hasEnded = false;
  const server = await createServer(
    async (_, response, incoming) => {
      for await (const chunk of incoming) arrived.push(chunk.length);
      hasEnded = true;
      sendJson(response, {});
    },
    { read: false },
  );
  const content = bytes(300_000);
  const file = {
    name: "a",
    size: content.length,
    async *open() {
      yield content.subarray(0, 200_000);
      yield content.subarray(200_000);
    },
  };
  let learn = (): void => {};
  const known = new Promise<void>((resolve) => {
    learn = resolve;
  });
  const { files } = createHashedUpload([file], { version: 1, host: server.url, hashAll: true }, () => known);
  const body = await rawBody(files[0] as (typeof files)[number]);
  const request = { method: "POST", base: server.url, path: "/", signal: undefined, timeoutMs: 60_000 } as const;
  const sent = exchange(request, body);
  await expect.poll(() => arrived.reduce((sum, length) => sum + length, 0)).toBe(200_000);
  expect(hasEnded).toBe(false);
  learn();
  await sent;
  expect(arrived.reduce((sum, length) => sum + length, 0)).toBe(300_000);
  await body.dispose();
});

test("what cannot be sent once more is not paid for", async () => {
  const stream = () => ({ name: "s", size: 1, stream: new Blob(["a"]).stream() });
  const before = await balance();
  for (const source of [stream(), new Uint8Array()]) {
    expect(await failure(uploadEncrypted(source, own()))).toMatchObject({ code: "INVALID_SOURCE" });
  }
  expect(await balance()).toBe(before);
});

test("options that change after the call have no effect, also those of a class", async () => {
  class Options {
    signer = wallet(0);
    maxAmount = 1;
    network = reading().network;
  }
  const options = new Options();
  const call = failure(uploadBuffer(bytes(), { endpoints: devnet().endpoints, payPerUpload: payPerUpload(options) }));
  options.maxAmount = 10_000_000;
  expect((await call).code).toBe("PAYMENT_ABOVE_LIMIT");
});

test("a name that no header and no UTF-8 can carry is sent in another form", async () => {
  await uploadBuffer(bytes(), { ...paying(), name: "a\ud800\0\n.txt" });
});

test("the password of an endpoint is in no receipt and no error", async () => {
  const endpoints = { ...devnet().endpoints, x402: devnet().endpoints.x402.replace("://", "://user:long-password@") };
  const receipt = receiptOf(await uploadBuffer(bytes(), { ...paying(), endpoints }));
  takeOnce();
  const error = await failure(uploadBuffer(bytes(), { ...paying(), endpoints }));
  expect(JSON.stringify([receipt, error])).not.toContain("long-password");
});

test("looking for a payment ends in time with a slow node, too", async () => {
  const node = await createServer(async (request, response) => {
    const { id, method, params } = JSON.parse(request.body.toString());
    await new Promise((resolve) => setTimeout(resolve, 600));
    sendJson(response, { jsonrpc: "2.0", id, result: await provider().send(method, params) });
  });
  const action = { kind: "respond", status: 500 } as const;
  devnet().faults.add({ service: "x402", method: "POST", path: /upload$/, after: 1, action });
  const network = { ...reading().network, rpc: node.url };
  const error = await failure(uploadBuffer(bytes(), paying({ network, waitMs: 3_000 })));
  expect(error.code).toBe("HTTP_STATUS");
  // Before the payment, after it, and twice while it is looked for: four requests each time, the chain's id once.
  expect(node.requests.length).toBeLessThanOrEqual(17);
});

test("an abort once the file is stored does not lose the id in the service's response", async () => {
  const stop = new AbortController();
  const node = await createServer(async (request, response) => {
    const { id, method, params } = JSON.parse(request.body.toString());
    // The transaction is looked up last.
    if (method === "eth_getLogs") return stop.abort();
    sendJson(response, { jsonrpc: "2.0", id, result: await provider().send(method, params) });
  });
  const network = { ...reading().network, rpc: node.url };
  const receipt = receiptOf(await uploadBuffer(bytes(), { ...paying({ network }), signal: stop.signal }));
  expect(stop.signal.aborted).toBe(true);
  expect(receipt).toMatchObject({ id: expect.any(String), expiresAt: expect.any(Number), amount: expect.any(String) });
  expect(await countPayments(receipt.nonce)).toBe(1);
});

test("a signature for a large file is valid for as long as sending it may take", async () => {
  const valid: number[] = [];
  const signer = {
    getAddress: () => wallet(0).address,
    signTypedData: (_domain: object, _types: object, value: Record<string, string>) => {
      valid.push(Number(value["validBefore"]) - Date.now() / 1_000);
      return Promise.reject(new Error("enough"));
    },
  };
  for (const size of [1_000, 64 * 1024 * 1024]) await failure(uploadBuffer(new Uint8Array(size), paying({ signer })));
  const [small = 0, large = 0] = valid;
  expect(small).toBeGreaterThan(290);
  expect(small).toBeLessThanOrEqual(301);
  expect(large).toBeGreaterThan(500);
});
