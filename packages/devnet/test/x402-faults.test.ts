import { Wallet } from "ethers";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { account, add, cat, devnetForTests, getApiKey, send } from "../../../test/support/devnet-wire.ts";
import { type Fault, type FaultAction, startDevnet } from "../src/index.ts";
import { createMemoryState } from "../src/state/stored-map.ts";
import { addYear, createPaidFiles } from "../src/x402/paid-files.ts";
import { connectToken, createPayer } from "./x402-payer.ts";

const devnet = devnetForTests({ chain: true });
const kind = devnetForTests({ chain: true, x402: { honours: true } });

/** A payer, with its token. */
function connect(at = devnet()) {
  const wallet = new Wallet(account(at, 0).privateKey);
  return Object.assign(createPayer(at, wallet), connectToken(at, wallet), { address: wallet.address });
}
let payer: ReturnType<typeof connect>;
let payerOfKind: ReturnType<typeof connect>;
beforeAll(() => {
  payer = connect();
  payerOfKind = connect(kind());
  return () => {
    payer.provider.destroy();
    payerOfKind.provider.destroy();
  };
});
afterEach(() => {
  for (const { faults } of [devnet(), kind()]) faults.clear();
  vi.useRealTimers();
});

const PRICE = 32_500n;
type Settle = Omit<FaultAction & { kind: "settle" }, "kind">;
const settle = (action: Settle): Fault => ({ service: "x402", times: 1, action: { kind: "settle", ...action } });

/** Calls, and returns what came of it, and how much was paid. */
async function paidBy<Result>(call: () => Promise<Result>, by = payer): Promise<[Result, bigint]> {
  const before = await by.balanceOf(by.address);
  const result = await call();
  return [result, before - (await by.balanceOf(by.address))];
}

const isStored = async (content: string) => {
  const { body } = await send(
    "GET",
    `${devnet().endpoints.api}/api/lighthouse/walrus_blobs?cid=${await toCid(content)}`,
  );
  return (body as { blobIds: string[] }).blobIds.length > 0;
};

/** Returns the content id of a small file, which it stores in another class. */
async function toCid(content: string): Promise<string> {
  const stored = await add(devnet(), await getApiKey(devnet(), account(devnet(), 2)), { a: content });
  return ((await stored.json()) as { Hash: string }).Hash;
}

/** Sets the clock of this process, which is the service's too, ahead. */
function passTime(ms: number): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });
}

describe("settlement", () => {
  test("early: paid before the body is read, and stored", async () => {
    devnet().faults.add(settle({ how: "early" }));
    const [reply, paid] = await paidBy(() => payer.pay(Buffer.from("early")));
    expect([reply.status, reply.settled?.["success"], paid]).toEqual([200, true, PRICE]);
    expect(Buffer.from(await cat(devnet(), String(reply.body["cid"]))).toString()).toBe("early");
    const renewal = await payer.renew(reply.body["id"]);
    expect(renewal.body["previousExpiresAt"]).toBe(reply.body["expiresAt"]);
  });

  test("early-and-fail: paid, and nothing is stored", async () => {
    devnet().faults.add(settle({ how: "early-and-fail" }));
    const payment = await payer.prepareUpload();
    const [reply, paid] = await paidBy(() => payer.upload(payment, Buffer.from("early-and-fail")));
    expect([reply.status, reply.body["error"], reply.settled, paid]).toEqual([500, "Upload failed", undefined, PRICE]);
    expect(await isStored("early-and-fail")).toBe(false);
    const [again, paidAgain] = await paidBy(() => payer.upload(payment));
    expect([again.required?.error, paidAgain]).toEqual(["invalid_exact_evm_nonce_already_used", 0n]);
  });

  test("fail: stored, and not paid; the same payment is good for another request", async () => {
    devnet().faults.add(settle({ how: "fail" }));
    const payment = await payer.prepareUpload();
    const [reply, paid] = await paidBy(() => payer.upload(payment, Buffer.from("fails")));
    expect([reply.status, reply.body, reply.required, paid]).toEqual([402, {}, undefined, 0n]);
    expect(reply.settled).toEqual({
      success: false,
      errorReason: "invalid_exact_evm_transaction_failed",
      transaction: "",
      network: "eip155:31337",
      payer: payer.address,
    });
    expect(await isStored("fails")).toBe(true);
    expect((await payer.upload(payment)).status).toBe(200);
  });

  test("late: stored, a failure at once, and paid later", async () => {
    devnet().faults.add(settle({ how: "late", delayMs: 100 }));
    const before = await payer.balanceOf(payer.address);
    const reply = await payer.pay(Buffer.from("late"));
    expect([reply.status, reply.body["error"], reply.settled]).toEqual([500, "Upload failed", undefined]);
    expect(await payer.balanceOf(payer.address)).toBe(before);
    await expect.poll(() => payer.balanceOf(payer.address)).toBe(before - PRICE);
    expect(await isStored("late")).toBe(true);
  });

  test("late: not paid once the signature has expired", async () => {
    devnet().faults.add(settle({ how: "late", delayMs: 50 }));
    const [reply, paid] = await paidBy(async () => {
      const late = await payer.pay();
      passTime(300_000);
      await new Promise((resolve) => setTimeout(resolve, 150));
      return late;
    });
    expect([reply.status, paid]).toEqual([500, 0n]);
  });

  test("twice: the second transfer is reverted", async () => {
    devnet().faults.add(settle({ how: "twice", delayMs: 10 }));
    const first = await payer.provider.getBlockNumber();
    const [reply, paid] = await paidBy(() => payer.pay());
    expect([reply.status, reply.settled?.["success"], paid]).toEqual([200, true, PRICE]);
    const statuses: (number | null | undefined)[] = [];
    for (const number of [first + 1, first + 2]) {
      const block = await payer.provider.getBlock(number);
      for (const hash of block?.transactions ?? []) {
        statuses.push((await payer.provider.getTransactionReceipt(hash))?.status);
      }
    }
    expect(statuses).toEqual([1, 0]);
  });

  test("of a renewal: paid, and not renewed", async () => {
    const { body: stored } = await payer.pay();
    devnet().faults.add(settle({ how: "early-and-fail" }));
    const [reply, paid] = await paidBy(() => payer.renew(stored["id"]));
    expect([reply.status, reply.body["error"], paid]).toEqual([500, "Renew failed", PRICE]);
    const { body: price } = await send("GET", `${devnet().endpoints.x402}/api/renew/price?id=${stored["id"]}`);
    expect(price).toMatchObject({ currentExpiresAt: stored["expiresAt"] });
  });

  test("of two requests at once with one payment: renewed once, although the other one fails before", () => {
    const files = createPaidFiles(createMemoryState().map("paid-files"));
    const { file, expiresAt } = files.add("bought", { publicKey: payer.address, cid: "c", size: 5, name: "a" });
    files.settle("bought", "0x1");
    const stored = files.find(file.id) ?? expect.fail();
    for (let request = 0; request < 2; request++) files.renew("renewed", stored);
    files.settle("renewed", undefined);
    files.settle("renewed", "0x2");
    files.settle("renewed", "0x3");
    expect(files.find(file.id)).toMatchObject({ expiresAt: addYear(expiresAt), txHash: "0x2" });
  });

  test("ends with the devnet", async () => {
    const own = await startDevnet({ chain: true, faults: [settle({ how: "late", delayMs: 60_000 })] });
    const { provider, pay } = connect(own);
    expect((await pay()).status).toBe(500);
    provider.destroy();
    await own.close();
  });
});

describe("other faults", () => {
  test("respond, once served: paid, and a failure", async () => {
    const payment = await payer.prepareUpload();
    devnet().faults.add({ service: "x402", times: 1, action: { kind: "respond", status: 500, served: true } });
    const url = `${devnet().endpoints.x402}/api/upload`;
    const init = { method: "POST", headers: { "payment-signature": payment }, body: "paid, and lost" };
    const [response, paid] = await paidBy(() => fetch(url, init));
    expect([response.status, response.headers.get("payment-response"), paid]).toEqual([500, null, PRICE]);
  });

  test("cut: paid, and half a response", async () => {
    const payment = await payer.prepareUpload();
    devnet().faults.add({ service: "x402", times: 1, action: { kind: "cut", atByte: 5 } });
    const [error, paid] = await paidBy(() => payer.upload(payment).catch((reason: unknown) => reason));
    expect([error instanceof Error, paid]).toEqual([true, PRICE]);
  });

  test("reset in the middle of the body: nothing is paid", async () => {
    const body = new Uint8Array(600_000);
    const payment = await payer.prepareUpload(body);
    devnet().faults.add({ service: "x402", times: 1, action: { kind: "reset", afterBytes: 300_000 } });
    const [error, paid] = await paidBy(() => payer.upload(payment, body).catch((reason: unknown) => reason));
    expect([error instanceof Error, paid]).toEqual([true, 0n]);
    expect((await payer.upload(payment, body)).status).toBe(200);
  });
});

describe("a service that honours", () => {
  test("stores what was paid for before, once, without another payment", async () => {
    const payment = await payerOfKind.prepareUpload();
    kind().faults.add(settle({ how: "early-and-fail" }));
    const [failed, paid] = await paidBy(() => payerOfKind.upload(payment), payerOfKind);
    expect([failed.status, paid]).toEqual([500, PRICE]);

    const [reply, paidAgain] = await paidBy(() => payerOfKind.upload(payment), payerOfKind);
    expect([reply.status, paidAgain]).toEqual([200, 0n]);
    const transaction = String(reply.settled?.["transaction"]);
    expect(await payerOfKind.provider.getTransactionReceipt(transaction)).toMatchObject({ status: 1 });
    const renewal = await payerOfKind.renew(reply.body["id"]);
    expect(renewal.body["previousExpiresAt"]).toBe(reply.body["expiresAt"]);
    expect((await payerOfKind.upload(payment)).required?.error).toBe("invalid_exact_evm_nonce_already_used");
  });

  test("after the signature has expired, and the price has changed", async () => {
    const payment = await payerOfKind.prepareUpload();
    kind().faults.add(settle({ how: "early-and-fail" }));
    await payerOfKind.upload(payment);
    kind().setUploadPrice(1);
    passTime(300_000);
    const reply = await payerOfKind.upload(payment);
    kind().setUploadPrice(0.0005);
    expect(reply.status).toBe(200);
  });

  test("only what was paid for: no larger file, no other purpose, no other signature", async () => {
    const payment = await payerOfKind.prepareUpload();
    kind().faults.add(settle({ how: "early-and-fail" }));
    await payerOfKind.upload(payment);
    expect((await payerOfKind.upload(payment, Buffer.from("longer than hello"))).status).toBe(402);
    const { body: stored } = await payerOfKind.pay();
    const headers = { "x-file-id": String(stored["id"]), "payment-signature": payment };
    expect((await payerOfKind.request("/api/renew", headers)).status).toBe(402);
    const forged = JSON.parse(Buffer.from(payment, "base64").toString());
    forged.payload.signature = `0x${"11".repeat(65)}`;
    const other = Buffer.from(JSON.stringify(forged)).toString("base64");
    expect((await payerOfKind.upload(other)).status).toBe(402);
    expect((await payerOfKind.upload(payment)).status).toBe(200);
  });

  test("not what was stored", async () => {
    const payment = await payerOfKind.prepareUpload();
    kind().faults.add(settle({ how: "late", delayMs: 0 }));
    const before = await payerOfKind.balanceOf(payerOfKind.address);
    expect((await payerOfKind.upload(payment)).status).toBe(500);
    await expect.poll(() => payerOfKind.balanceOf(payerOfKind.address)).toBe(before - PRICE);
    expect((await payerOfKind.upload(payment)).status).toBe(402);
  });
});
