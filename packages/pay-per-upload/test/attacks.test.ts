import { inspect } from "node:util";
import { Interface } from "ethers";
import { afterEach, describe, expect, test } from "vitest";
import {
  isKeeplightError,
  isUnfinished,
  type UploadReceipt,
  uploadBuffer,
  uploadEncrypted,
  uploadText,
} from "../../../src/index.ts";
import { createHashers, listProfiles } from "../../../src/storage/upload/encrypted-cids.ts";
import { as } from "../../../test/kavach/saved-keys.ts";
import { account } from "../../../test/support/devnet-wire.ts";
import { failure } from "../../../test/support/failure.ts";
import { createServer, type RecordedRequest, sendJson } from "../../../test/support/http-server.ts";
import { renewUpload, verifyUploadReceipt } from "../src/index.ts";
import { payerForTests, receiptOf } from "./rig.ts";

const { devnet, paying, terms: payingTerms, reading, balance, countPayments, wallet, provider } = payerForTests();

afterEach(() => devnet().faults.clear());

const unique = () => crypto.randomUUID();
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64");

/** What the service requests by default. */
function terms(changed: object = {}, others: object = {}) {
  const { chainId, usdc } = reading().network;
  const offer = {
    scheme: "exact",
    network: `eip155:${chainId}`,
    amount: "1000",
    asset: usdc,
    payTo: `0x${"5e".repeat(20)}`,
    maxTimeoutSeconds: 300,
    extra: { name: "USDC", version: "2" },
    ...changed,
  };
  return {
    x402Version: 2,
    error: "PAYMENT-SIGNATURE header is required",
    resource: { url: "/" },
    accepts: [offer],
    ...others,
  };
}

type Respond = (request: RecordedRequest, response: Parameters<typeof sendJson>[0]) => unknown;

/** A service that sends these terms, and responds to what is paid by `respond`. */
async function lyingService(
  header: string | undefined,
  respond: Respond = () => {},
  totalPrice: unknown = "$0.001000",
) {
  const server = await createServer((request, response) => {
    if (request.method === "GET") return sendJson(response, { totalPrice, storagePeriodDays: 365 });
    if (request.headers["payment-signature"]) return respond(request, response);
    if (header !== undefined) response.setHeader("PAYMENT-REQUIRED", header);
    sendJson(response, {}, 402);
  });
  return { ...devnet().endpoints, x402: server.url };
}

const mustNotSign = () => ({
  getAddress: () => wallet().address,
  signTypedData: () => Promise.reject(new Error("it was signed")),
});

describe("a lying service gets no signature", () => {
  test.each<[string, () => object, object?]>([
    ["for another chain", () => ({ network: "eip155:1" })],
    ["for another token", () => ({ asset: `0x${"11".repeat(20)}` })],
    ["for another scheme", () => ({ scheme: "upto" })],
    ["by Permit2", () => ({ extra: { name: "USDC", version: "2", assetTransferMethod: "permit2" } })],
    ["without a domain", () => ({ extra: {} })],
    ["without extra", () => ({ extra: null })],
    ["to nobody", () => ({ payTo: "0x" })],
    ["of a negative amount", () => ({ amount: "-5" })],
    ["of an amount in hex", () => ({ amount: "0x5" })],
    ["that is valid for ever", () => ({ maxTimeoutSeconds: 1e12 })],
    ["that is valid for no time", () => ({ maxTimeoutSeconds: 0 })],
    ["to an object", () => ({ payTo: { toString: 1 } })],
    ["to a list", () => ({ payTo: [`0x${"5e".repeat(20)}`] })],
    ["of an object", () => ({ amount: { valueOf: 1 } })],
    ["without offers", () => ({}), { accepts: [] }],
    ["with offers that are none", () => ({}), { accepts: [null, 5, "x", []] }],
    ["with offers that are no list", () => ({}), { accepts: { length: 3 } }],
  ])("%s", async (_, changed, others) => {
    const endpoints = await lyingService(encode(terms(changed(), others)));
    const error = await failure(uploadText(unique(), { ...paying({ signer: mustNotSign() }), endpoints }));
    expect(["UNEXPECTED_PAYMENT", "INVALID_RESPONSE"]).toContain(error.code);
  });

  test.each([
    "",
    "no base64!",
    encode("text"),
    encode(null),
    encode([]),
    Buffer.from("{").toString("base64"),
    undefined,
  ])("with the header %j", async (header) => {
    const endpoints = await lyingService(header);
    const error = await failure(uploadText(unique(), { ...paying({ signer: mustNotSign() }), endpoints }));
    expect(error.code).toBe("INVALID_RESPONSE");
  });

  test.each([null, 5, "free", "$0", "$0.000000", "$-1", "$1e3", "$0.0000001", "$99999999999999999999", {}])(
    "with the price %j",
    async (price) => {
      const endpoints = await lyingService(encode(terms()), () => {}, price);
      const error = await failure(uploadText(unique(), { ...paying({ signer: mustNotSign() }), endpoints }));
      expect(error.code).toBe("INVALID_RESPONSE");
    },
  );

  test("above the limit, whatever its terms say", async () => {
    const endpoints = await lyingService(encode(terms({ amount: "1" })), () => {}, "$11");
    const error = await failure(uploadText(unique(), { ...paying({ signer: mustNotSign() }), endpoints }));
    expect(error.code).toBe("PAYMENT_ABOVE_LIMIT");
  });
});

test.each<[string, Respond]>([
  ["nothing", (_, response) => response.writeHead(200).end()],
  ["an array", (_, response) => sendJson(response, [])],
  ["null", (_, response) => sendJson(response, null)],
  ["no content id", (_, response) => sendJson(response, { cid: "none", id: 5 })],
  ["a redirect", (_, response) => response.writeHead(302, { Location: "http://127.0.0.1:1/" }).end()],
  ["204", (_, response) => response.writeHead(204).end()],
  ["a lot", (_, response) => response.writeHead(200).end("x".repeat(20_000_000))],
  ["other terms", (_, response) => response.writeHead(402, { "PAYMENT-REQUIRED": encode({ error: 5 }) }).end()],
  [
    "a settlement that is no text",
    (_, response) =>
      response.writeHead(402, { "PAYMENT-RESPONSE": encode({ success: true, transaction: { toString: 1 } }) }).end(),
  ],
  [
    "a failed settlement",
    (_, response) =>
      response.writeHead(402, { "PAYMENT-RESPONSE": encode({ success: false, errorReason: ["x"] }) }).end(),
  ],
])(
  "a service that is paid and responds %s: an unfinished upload of which the chain shows nothing",
  async (_, respond) => {
    const endpoints = await lyingService(encode(terms()), respond);
    const error = await failure(uploadText(unique(), { ...paying(), endpoints }));
    expect(isUnfinished(error)).toBe(true);
    expect(error.details["payment"]).toMatchObject({ service: endpoints.x402, chainId: 31_337 });
    expect(await countPayments((error.details["payment"] as UploadReceipt).nonce)).toBe(0);
  },
);

test("a service that says the file is stored, and that the payment failed, has not taken it", async () => {
  const text = unique();
  const hashers = createHashers(listProfiles(1));
  await hashers.update(new TextEncoder().encode(text));
  const [cid] = (await hashers.finish()).cids;
  const endpoints = await lyingService(encode(terms()), (_, response) => {
    response.setHeader("PAYMENT-RESPONSE", encode({ success: false, errorReason: "insufficient_funds" }));
    sendJson(response, { cid, id: "1", expiresAt: 9 });
  });
  const error = await failure(uploadText(text, { ...paying(), endpoints }));
  expect(error).toMatchObject({ code: "PAYMENT_NOT_TAKEN", details: { reason: "insufficient_funds" } });
  expect(isUnfinished(error)).toBe(true);
});

test("a service that says the file is stored under another content id is not believed", async () => {
  const cid = "bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy";
  const endpoints = await lyingService(encode(terms()), (_, response) => sendJson(response, { cid, id: "1" }));
  const error = await failure(uploadText("text", { ...paying(), endpoints }));
  expect(error).toMatchObject({ code: "CID_MISMATCH", details: { got: cid, payment: { id: "1", amount: "1000" } } });
  expect(isUnfinished(error)).toBe(true);
  const encrypted = { ...as(devnet(), 0), ...paying(), endpoints };
  expect(await failure(uploadEncrypted(new Uint8Array(9), encrypted))).toMatchObject({ code: "CID_MISMATCH" });
});

test.each<[string, (signature: string) => string]>([
  ["as it is", (signature) => signature],
  ["without 0x", (signature) => signature.slice(2)],
  ["in two parts", (signature) => `r ${signature.slice(2, 66)}, s ${signature.slice(66, 130)}`],
  ["in Base64", (signature) => Buffer.from(signature.slice(2), "hex").toString("base64")],
])("nothing that was signed is printed, even if the service repeats it %s", async (_, repeat) => {
  for (const status of [400, 402, 500]) {
    let repeated = "";
    const endpoints = await lyingService(encode(terms()), ({ headers }, response) => {
      const { payload } = JSON.parse(Buffer.from(String(headers["payment-signature"]), "base64").toString());
      repeated = repeat(payload.signature);
      const message = `no:\u001b\u0000 ${repeated}`;
      response.setHeader("PAYMENT-REQUIRED", encode(terms({}, { error: message })));
      sendJson(response, { message }, status);
    });
    const error = await failure(uploadText(unique(), { ...paying(), endpoints }));
    const printed = [JSON.stringify(error), inspect(error, { depth: 9 }), String(error), error.stack].join("\n");
    const parts = repeated.match(/[0-9a-zA-Z+/=]{40,}/g) ?? [];
    expect(parts.length).toBeGreaterThan(0);
    for (const secret of parts) expect(printed).not.toContain(secret);
    for (const sign of ["\0", "\u001b"]) expect(printed).not.toContain(sign);
    expect(printed).not.toContain(account(devnet(), 0).privateKey.slice(2));
  }
});

/** A node that responds to these methods by itself. */
async function lyingNode(own: Record<string, unknown>) {
  const server = await createServer(async (request, response) => {
    const call = JSON.parse(request.body.toString()) as { id: number; method: string; params: unknown[] };
    const result = call.method in own ? own[call.method] : await provider().send(call.method, call.params);
    sendJson(response, { jsonrpc: "2.0", id: call.id, result });
  });
  return { ...reading().network, rpc: server.url };
}

describe("a lying node of the chain", () => {
  const word = (value: bigint) => `0x${value.toString(16).padStart(64, "0")}`;

  test.each<[string, Record<string, unknown>]>([
    ["everything is paid", { eth_call: word(1n << 60n) }],
    ["nothing is paid", { eth_call: word(0n) }],
    ["no number", { eth_call: "0x" }],
    ["nonsense", { eth_call: { a: 1 }, eth_getBlockByNumber: 5 }],
    ["no block", { eth_getBlockByNumber: null }],
    ["a time far away", { eth_getBlockByNumber: { number: "0x1", hash: word(1n), timestamp: "0xffffffffffff" } }],
    ["another chain", { eth_chainId: "0x1" }],
    ["logs of others", { eth_getLogs: [{ address: `0x${"11".repeat(20)}`, topics: [], data: "0x" }] }],
  ])("that says %s: at most one payment, and an error of the kit", async (_, own) => {
    const network = await lyingNode(own);
    const before = await balance();
    const content = crypto.getRandomValues(new Uint8Array(99));
    const outcomes = await Promise.allSettled(
      [1, 2].map(() => uploadBuffer(content, { ...paying({ network }), timeoutMs: 9_000 })),
    );
    await uploadBuffer(content, paying()).catch(() => undefined);
    expect(before - (await balance())).toBeLessThanOrEqual(32_500n);
    for (const outcome of outcomes)
      if (outcome.status === "rejected") expect(isKeeplightError(outcome.reason)).toBe(true);
  });

  test("cannot make another's transaction a receipt", async () => {
    const receipt = receiptOf(await uploadText(unique(), paying()));
    const network = await lyingNode({
      eth_getTransactionReceipt: { transactionHash: receipt.transaction, logs: "none" },
    });
    await expect(verifyUploadReceipt(receipt, { ...reading(), network })).rejects.toSatisfy((error) =>
      isKeeplightError(error),
    );
  });
});

describe("a receipt", () => {
  const transfer = new Interface(["function transfer(address to, uint256 amount)"]);

  test.each<
    [string, (receipt: UploadReceipt) => Partial<Record<keyof UploadReceipt, unknown>> | Promise<object>, string]
  >([
    ["of another order", () => ({ orderId: "other" }), "PAYMENT_MISMATCH"],
    ["of another payer", () => ({ payer: `0x${"11".repeat(20)}` }), "PAYMENT_MISMATCH"],
    ["of another service", () => ({ service: "https://other.example" }), "PAYMENT_MISMATCH"],
    ["with another nonce", () => ({ nonce: `0x${"11".repeat(32)}` }), "PAYMENT_MISMATCH"],
    ["with another amount", ({ amount }) => ({ amount: String(Number(amount) + 1) }), "PAYMENT_MISMATCH"],
    ["of another chain", () => ({ chainId: 8453 }), "INVALID_OPTION"],
    ["whose chain is a string", () => ({ chainId: "31337" }), "INVALID_OPTION"],
    ["with a broken transaction", () => ({ transaction: "0x1" }), "INVALID_OPTION"],
    ["without an order", () => ({ orderId: undefined }), "INVALID_OPTION"],
    ["without a service", () => ({ service: "here" }), "INVALID_OPTION"],
    ["with a broken payer", () => ({ payer: "me" }), "INVALID_ADDRESS"],
    [
      "with the transaction of another upload",
      async () => ({ transaction: receiptOf(await uploadText(unique(), paying())).transaction }),
      "PAYMENT_MISMATCH",
    ],
    [
      "with another transfer of the payer",
      async () => {
        const data = transfer.encodeFunctionData("transfer", [`0x${"5e".repeat(20)}`, 32_500n]);
        const sent = await wallet(0).connect(provider()).sendTransaction({ to: reading().network.usdc, data });
        await sent.wait();
        return { transaction: sent.hash };
      },
      "PAYMENT_MISMATCH",
    ],
  ])("%s is refused", async (_, change, code) => {
    const receipt = receiptOf(await uploadText(unique(), paying()));
    const forged = { ...receipt, ...(await change(receipt)) } as UploadReceipt;
    await expect(verifyUploadReceipt(forged, reading())).rejects.toMatchObject({ code });
    await verifyUploadReceipt(receipt, reading());
  });

  test("is found on the chain without its transaction, or with one that the chain does not have", async () => {
    const { transaction, ...receipt } = receiptOf(await uploadText(unique(), paying()));
    for (const given of [receipt, { ...receipt, transaction: `0x${"11".repeat(32)}` }]) {
      expect(await verifyUploadReceipt(given, reading())).toMatchObject({ transaction, amount: "32500" });
    }
  });

  test("of a payment that the chain does not have is refused", async () => {
    const { transaction: _, ...receipt } = receiptOf(await uploadText(unique(), paying()));
    const network = await lyingNode({ eth_getLogs: [] });
    await expect(verifyUploadReceipt(receipt, { ...reading(), network })).rejects.toMatchObject({
      code: "PAYMENT_NOT_FOUND",
    });
  });

  test("of a transaction that failed is refused, whatever a node shows of it", async () => {
    const receipt = receiptOf(await uploadText(unique(), paying()));
    const mined = await provider().send("eth_getTransactionReceipt", [receipt.transaction]);
    const network = await lyingNode({ eth_getTransactionReceipt: { ...mined, status: "0x0" } });
    const error = await failure(verifyUploadReceipt(receipt, { ...reading(), network }));
    expect(error.code).toBe("PAYMENT_MISMATCH");
  });

  test.each<[string, object]>([
    ["without data", { data: "0x" }],
    ["with garbage", { data: "garbage" }],
    ["to nobody", { topics: [0, 1, null] }],
    ["to a number", { topics: [0, 1, 5] }],
  ])("of which a node shows a transfer %s is refused", async (_, changed: { data?: string; topics?: unknown[] }) => {
    const receipt = receiptOf(await uploadText(unique(), paying()));
    const mined = await provider().send("eth_getTransactionReceipt", [receipt.transaction]);
    const logs = mined.logs.map((log: { topics: string[] }, at: number) => {
      if (at !== 1) return log;
      const topics = changed.topics ? [log.topics[0], log.topics[1], changed.topics[2]] : log.topics;
      return { ...log, ...changed, topics };
    });
    const network = await lyingNode({ eth_getTransactionReceipt: { ...mined, logs } });
    const error = await failure(verifyUploadReceipt(receipt, { ...reading(), network }));
    expect(["PAYMENT_MISMATCH", "INVALID_RESPONSE"]).toContain(error.code);
  });

  test("of an authorization that its payer cancelled proves nothing", async () => {
    const endpoints = await lyingService(encode(terms()), (_, response) => sendJson(response, {}, 500));
    const error = await failure(uploadText(unique(), { ...paying(), endpoints }));
    const receipt = error.details["payment"] as UploadReceipt;
    await expect(verifyUploadReceipt(receipt, reading())).rejects.toMatchObject({ code: "PAYMENT_NOT_FOUND" });
  });
});

describe("a renewal", () => {
  const own = () => ({ ...payingTerms(), endpoints: devnet().endpoints });
  const year = 365 * 86_400_000;

  test("is paid once for a receipt, at once or later", async () => {
    const receipt = receiptOf(await uploadText(unique(), paying()));
    const before = await balance();
    const renewed = await Promise.all([1, 2, 3].map(() => renewUpload(receipt, { ...own(), waitMs: 60_000 })));
    const later = await renewUpload(receipt, own());
    expect(before - (await balance())).toBe(32_500n);
    for (const { expiresAt } of [...renewed, later]) expect(expiresAt).toBe((receipt.expiresAt ?? 0) + year);
    const [first] = renewed;
    await verifyUploadReceipt(first as UploadReceipt, reading());
    const next = await renewUpload(first as UploadReceipt, own());
    expect(next.expiresAt).toBe((receipt.expiresAt ?? 0) + 2 * year);
    expect(before - (await balance())).toBe(65_000n);
  });

  test("by another payer is refused, and nothing is paid", async () => {
    const receipt = receiptOf(await uploadText(unique(), paying()));
    const before = await balance(1);
    const other = { ...own(), signer: wallet(1) };
    expect(await failure(renewUpload(receipt, other))).toMatchObject({ code: "INVALID_OPTION" });
    // Who changes the receipt is refused by the service.
    const forged = { ...receipt, payer: wallet(1).address };
    expect(await failure(renewUpload(forged, other))).toMatchObject({ code: "HTTP_STATUS", details: { status: 403 } });
    expect(await balance(1)).toBe(before);
  });

  test.each<[string, object | undefined, string]>([
    ["no receipt", undefined, "INVALID_OPTION"],
    ["a receipt without id", { id: undefined }, "INVALID_OPTION"],
    ["a receipt without end", { expiresAt: undefined }, "INVALID_OPTION"],
    ["an unknown id", { id: "none" }, "HTTP_STATUS"],
    ["an id that is no header", { id: "a\r\nb" }, "INVALID_OPTION"],
    ["a receipt of another service", { service: "https://other.example" }, "INVALID_OPTION"],
    ["a receipt of another chain", { chainId: 8453 }, "INVALID_OPTION"],
    ["an end that is text", { expiresAt: new Date().toISOString() }, "INVALID_OPTION"],
    ["an end that is no number", { expiresAt: Symbol("x") }, "INVALID_OPTION"],
  ])("of %s is refused", async (_, changed, code) => {
    const receipt = receiptOf(await uploadText(unique(), paying()));
    const given = changed && { ...receipt, ...changed };
    expect(await failure(renewUpload(given as UploadReceipt, own()))).toMatchObject({ code });
  });

  test.each<[string, unknown]>([
    ["null", null],
    ["a date", new Date(0).toISOString()],
    ["the past", 5],
    ["nonsense", "soon"],
  ])("of a file whose end the service calls %s is paid once", async (_, currentExpiresAt) => {
    const receipt = { ...receiptOf(await uploadText(unique(), paying())), expiresAt: 9 };
    let paid = 0;
    const server = await createServer((request, response) => {
      if (request.method === "GET") {
        return sendJson(response, { totalPrice: "$0.001", storagePeriodDays: 365, currentExpiresAt });
      }
      if (!request.headers["payment-signature"]) {
        response.setHeader("PAYMENT-REQUIRED", encode(terms()));
        return sendJson(response, {}, 402);
      }
      paid++;
      sendJson(response, { expiresAt: year });
    });
    const endpoints = { ...devnet().endpoints, x402: server.url };
    const renewed = await renewUpload({ ...receipt, service: server.url }, { ...own(), endpoints });
    expect([renewed.expiresAt, paid]).toEqual([year, 1]);
  });

  test("of a file that was renewed after its end is paid, too, if the service keeps a later end than it says", async () => {
    const receipt = { ...receiptOf(await uploadText(unique(), paying())), expiresAt: Date.now() - year };
    let end = receipt.expiresAt;
    let paid = 0;
    const server = await createServer((request, response) => {
      if (request.method === "GET") {
        return sendJson(response, { totalPrice: "$0.001", storagePeriodDays: 365, currentExpiresAt: end });
      }
      if (!request.headers["payment-signature"]) {
        response.setHeader("PAYMENT-REQUIRED", encode(terms()));
        return sendJson(response, {}, 402);
      }
      paid++;
      const expiresAt = Math.max(end, Date.now()) + year;
      // Computed again once the payment is settled.
      end = expiresAt + 1_500;
      sendJson(response, { expiresAt });
    });
    const endpoints = { ...devnet().endpoints, x402: server.url };
    const first = await renewUpload({ ...receipt, service: server.url }, { ...own(), endpoints });
    const second = await renewUpload(first, { ...own(), endpoints });
    expect([paid, second.expiresAt]).toEqual([2, end - 1_500]);
    expect((await renewUpload(first, { ...own(), endpoints })).expiresAt).toBe(end);
    expect(paid).toBe(2);
  });
});

test("an abort while the wallet waits ends the call at once, and nothing is sent", async () => {
  const stop = new AbortController();
  const signer = { getAddress: () => wallet().address, signTypedData: () => new Promise<string>(() => {}) };
  const call = failure(uploadText(unique(), { ...paying({ signer }), signal: stop.signal }));
  setTimeout(() => stop.abort(), 100);
  expect((await call).code).toBe("ABORTED");
});

test("an abort after the signature leaves an upload that is resumed", async () => {
  const stop = new AbortController();
  devnet().faults.add({
    service: "x402",
    method: "POST",
    path: /upload$/,
    after: 1,
    times: 1,
    action: { kind: "hang" },
  });
  const text = unique();
  const call = failure(uploadText(text, { ...paying(), signal: stop.signal }));
  setTimeout(() => stop.abort(), 400);
  const error = await call;
  expect(error.code).toBe("ABORTED");
  if (!isUnfinished<Awaited<ReturnType<typeof uploadText>>>(error)) throw new Error("it cannot be resumed");
  const receipt = receiptOf(await error.resume());
  expect(await countPayments(receipt.nonce)).toBe(1);
});

test("an abort while another content id is looked up leaves an upload that is resumed, too", async () => {
  const cid = "bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy";
  const endpoints = await lyingService(encode(terms()), (_, response) => sendJson(response, { cid, id: "1" }));
  devnet().faults.add({ service: "api", path: "/api/lighthouse/file_info", action: { kind: "hang" } });
  const stop = new AbortController();
  const call = failure(uploadText(unique(), { ...paying(), endpoints, signal: stop.signal }));
  setTimeout(() => stop.abort(), 600);
  const error = await call;
  expect([error.code, isUnfinished(error)]).toEqual(["ABORTED", true]);
  expect(error.details["payment"]).toMatchObject({ id: "1" });
});

test("an encrypted upload without a journal is resumed from its error, with the same key", async () => {
  const owner = as(devnet(), 0);
  for (const how of ["early-and-fail", "fail", "late"] as const) {
    devnet().faults.add({ service: "x402", times: 1, action: { kind: "settle", how } });
    const error = await failure(uploadEncrypted(new File(["secret"], "s.txt"), { ...owner, ...paying() }));
    if (!isUnfinished<Awaited<ReturnType<typeof uploadEncrypted>>>(error)) throw new Error("it cannot be resumed");
    const { nonce } = error.details["payment"] as UploadReceipt;
    await new Promise((resolve) => setTimeout(resolve, how === "late" ? 900 : 0));
    const outcome = await error.resume().catch((reason: unknown) => reason);
    // The devnet does not honour what it took without storing the file, as the public service would not.
    if (how === "early-and-fail") expect(outcome).toMatchObject({ code: "PAID_NOT_STORED" });
    else expect(receiptOf(outcome as never).nonce).toBe(nonce);
    expect(await countPayments(nonce)).toBe(1);
  }
});
