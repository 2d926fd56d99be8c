import { readdir, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { UnfinishedError } from "../../src/base/errors/unfinished.ts";
import { getEntries } from "../../src/journal/handle.ts";
import type { PaymentProgress, PayOptions } from "../../src/payment/index.ts";
import { payWithToken, resumePayments } from "../../src/payment/pay.ts";
import { openJournal } from "../../src/storage/resume/open-journal.ts";
import { failure } from "../support/failure.ts";
import { captureHash, chainForTests } from "./chain-tools.ts";
import { createFolder } from "./child-rig.ts";

type Request = (call: { method: string; params?: unknown }) => Promise<unknown>;
type Resumable = UnfinishedError<unknown, object>;

const chain = chainForTests();
const quick = { pollMs: 10, missingMs: 100, timeoutMs: 5_000 };
let orders = 0;

afterEach(async () => {
  await chain().rpc("evm_setAutomine", true);
  await chain().rpc("anvil_mine", "0x1");
});

/** A payer with an order that no other test has. */
async function setUp() {
  const tools = chain();
  const payer = await tools.payer("native");
  await tools.rpc("anvil_impersonateAccount", payer.address);
  const orderId = `attacked order ${++orders}`;
  const pay = (options: Partial<PayOptions> = {}) => {
    const { network } = tools;
    const own = options.signer ? {} : { privateKey: payer.privateKey };
    return payWithToken({
      network,
      token: "native",
      amount: 1000n,
      orderId,
      ...own,
      ...quick,
      ...options,
    } as PayOptions);
  };
  /** A wallet that requests everything but its account of the chain. */
  const request: Request = async ({ method, params = [] }) =>
    method === "eth_requestAccounts" ? [payer.address] : tools.rpc(method, ...(params as unknown[]));
  return { tools, payer, pay, request };
}

/** A wallet that responds to requests to send as `send` says. */
function walletThatSends(request: Request, send: (call: Parameters<Request>[0]) => Promise<unknown>) {
  return {
    request: (call: Parameters<Request>[0]) => (call.method === "eth_sendTransaction" ? send(call) : request(call)),
  };
}

/** A promise, and what resolves it. */
function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

function abortWhenSent() {
  const controller = new AbortController();
  const onProgress = ({ phase, state }: PaymentProgress) => {
    if (phase === "pay" && state === "sent") controller.abort();
  };
  return { onProgress, signal: controller.signal };
}

describe("resumePayments", () => {
  test("twice at once pays nothing again", async () => {
    const { tools, payer, pay } = await setUp();
    const folder = await createFolder();
    const journals = [await openJournal({ folder }), await openJournal({ folder })] as const;
    await failure(pay({ journal: journals[0], orderId: undefined, ...abortWhenSent() }));
    const resume = (journal: (typeof journals)[0]) =>
      resumePayments(journal, { privateKey: payer.privateKey, ...quick });
    const reports = (await Promise.all(journals.map(resume))).flat();
    expect(reports).toMatchObject([{ payment: { amount: 1000n } }]);
    expect(await tools.paid(payer.address)).toBe(1);
  });

  test("does not make an order again that was displaced", async () => {
    const { tools, payer, pay } = await setUp();
    const journal = await openJournal({ folder: await createFolder() });
    await tools.rpc("evm_setAutomine", false);
    const { hash, onProgress } = captureHash("pay");
    const paying = failure(pay({ journal, onProgress, missingMs: 60_000 }));
    await tools.rpc("anvil_dropTransaction", await hash);
    const nonce = await payer.wallet.getNonce("latest");
    const fields = { to: payer.address, value: 0n, gasPrice: 10n ** 11n, gasLimit: 21_000n, type: 0, nonce };
    const cancel = await payer.wallet.signTransaction({ ...fields, chainId: tools.network.chain_id });
    await tools.rpc("eth_sendRawTransaction", cancel);
    await tools.rpc("anvil_mine", "0x50");
    expect((await paying).code).toBe("PAYMENT_REPLACED");
    await tools.rpc("evm_setAutomine", true);
    const [report] = await resumePayments(journal, { privateKey: payer.privateKey, ...quick });
    expect(report).toMatchObject({ error: { code: "PAYMENT_REPLACED" } });
    expect(await tools.paid(payer.address)).toBe(0);
    await pay({ journal });
    expect(await tools.paid(payer.address)).toBe(1);
  });
});

describe("an order", () => {
  test("whose first call fails while others wait for it is paid once", async () => {
    const { tools, payer, pay } = await setUp();
    const [failed, payment] = await Promise.all([failure(pay({ maxFee: 1n })), pay()]);
    expect(failed.code).toBe("FEE_TOO_HIGH");
    expect(await pay()).toEqual(payment);
    expect(await tools.paid(payer.address)).toBe(1);
  });

  test.each([{ isResumedDuringRun: true }, { isResumedDuringRun: false }])(
    "is not paid by resuming a call for another amount that only waited (during the run: $isResumedDuringRun)",
    async ({ isResumedDuringRun }) => {
      const { tools, payer, pay } = await setUp();
      await tools.rpc("evm_setAutomine", false);
      const { hash, onProgress } = captureHash("pay");
      const controller = new AbortController();
      const paying = pay({ onProgress });
      const waiting = failure(pay({ amount: 7n, maxAmount: 10n, signal: controller.signal }));
      await hash;
      controller.abort();
      const error = (await waiting) as Resumable;
      expect(error.code).toBe("ABORTED");
      const early = isResumedDuringRun ? failure(error.resume()) : undefined;
      await tools.rpc("evm_setAutomine", true);
      await tools.rpc("anvil_mine", "0x1");
      await paying;
      const resumed = await (early ?? failure(error.resume()));
      expect(resumed).toMatchObject({ code: "INVALID_OPTION", details: { option: "orderId" } });
      expect(await tools.paid(payer.address)).toBe(1);
    },
  );

  test("with an amount is not one with a size", async () => {
    const { tools, pay } = await setUp();
    const journal = await openJournal({ folder: await createFolder() });
    await pay({ journal });
    const other = { amount: undefined, size: 5_000_000, endpoints: tools.devnet.endpoints } as Partial<PayOptions>;
    const error = await failure(pay({ journal, ...other }));
    expect(error).toMatchObject({ code: "INVALID_OPTION", details: { option: "orderId" } });
  });

  test("does not take the transaction of another order, whatever the wallet reports", async () => {
    const { tools, payer, pay, request } = await setUp();
    const journal = await openJournal({ folder: await createFolder() });
    const { hash } = await pay({ journal, orderId: "the other order" });
    const nonce = await payer.wallet.getNonce();
    // As if the node had not known of it when the wallet was asked.
    const behind: Request = async (call) =>
      call.method === "eth_getTransactionCount" ? `0x${(nonce - 1).toString(16)}` : request(call);
    const signer = walletThatSends(behind, async () => hash);
    expect((await failure(pay({ journal, signer, searchBlocks: 0 }))).code).toBe("PAYMENT_UNKNOWN");
    expect((await failure(pay({ journal, signer, searchBlocks: 0 }))).code).toBe("PAYMENT_UNKNOWN");
    expect(await tools.paid(payer.address)).toBe(1);
  });

  test.each([{ switchesAfter: 0 }, { switchesAfter: 1 }])(
    "is not made again for what a wallet shows on another chain (after $switchesAfter looks at its chain)",
    async ({ switchesAfter }) => {
      const { tools, payer, pay, request } = await setUp();
      await tools.rpc("evm_setAutomine", false);
      const other: Record<string, unknown> = {
        eth_getTransactionByHash: null,
        eth_getTransactionReceipt: null,
        eth_getTransactionCount: "0x10",
        eth_blockNumber: "0xffff",
        eth_getBlockByNumber: {
          transactions: [{ hash: `0x${"f".repeat(64)}`, from: payer.address, nonce: "0x0", input: "0x", value: "0x0" }],
        },
      };
      let isSwitched = false;
      let looks = 0;
      const signer: { request: Request } = {
        request: async (call) => {
          if (!isSwitched) return request(call);
          if (call.method === "eth_chainId") return looks++ < switchesAfter ? request(call) : "0x1";
          return other[call.method] === undefined ? request(call) : other[call.method];
        },
      };
      const first = await failure(pay({ signer, waitMs: 50 }));
      expect(first.code).toBe("PAYMENT_TIMEOUT");
      isSwitched = true;
      expect((await failure(pay({ signer }))).code).toBe("WRONG_CHAIN");
      isSwitched = false;
      await tools.rpc("evm_setAutomine", true);
      await tools.rpc("anvil_mine", "0x1");
      expect((await pay({ signer })).hash).toBe(first.details["hash"]);
      expect(await tools.paid(payer.address)).toBe(1);
    },
  );

  test("that the wallet sped up before it was looked at is found", async () => {
    const { tools, payer, pay, request } = await setUp();
    let hash: unknown;
    const signer = walletThatSends(request, async (call) => {
      hash = await request(call);
      return `0x${"e".repeat(64)}`;
    });
    expect((await pay({ signer })).hash).toBe(hash);
    expect(await tools.paid(payer.address)).toBe(1);
  });

  test("that waits for a call whose user rejects it requests the wallet itself", async () => {
    const { tools, payer, pay, request } = await setUp();
    const folder = await createFolder();
    const window = gate();
    const asked = gate();
    let requests = 0;
    const signer = walletThatSends(request, async (call) => {
      if (requests++ > 0) return request(call);
      asked.open();
      await window.opened;
      throw Object.assign(new Error("rejected"), { code: 4001 });
    });
    const rejected = failure(pay({ journal: await openJournal({ folder }), signer }));
    await asked.opened;
    const journal = await openJournal({ folder });
    const waiting = pay({ journal, signer });
    window.open();
    expect((await rejected).code).toBe("PAYMENT_REJECTED");
    expect((await waiting).amount).toBe(1000n);
    expect([requests, await tools.paid(payer.address)]).toEqual([2, 1]);
  });

  test("that was discarded while its window was open is paid by the next call", async () => {
    const { tools, payer, pay, request } = await setUp();
    const journal = await openJournal({ folder: await createFolder() });
    const controller = new AbortController();
    let requests = 0;
    const signer = walletThatSends(request, async (call) => {
      if (requests++ > 0) return request(call);
      controller.abort();
      return new Promise(() => undefined);
    });
    const error = await failure(pay({ journal, signer, signal: controller.signal }));
    expect(error.code).toBe("ABORTED");
    const [open] = await journal.list();
    await journal.discard(open?.id ?? "");
    const payment = await pay({ journal, signer });
    expect(await pay({ journal, signer })).toEqual(payment);
    expect([requests, await tools.paid(payer.address)]).toEqual([2, 1]);
  });
});

test("an owner that was overtaken removes nothing of the new owner", async () => {
  const journal = await openJournal({ folder: await createFolder() });
  const entry = await getEntries(journal).open("payment", "order x", { a: 0 });
  const owner = JSON.stringify({ id: "other", host: "other", pid: 1, start: "1", isReleased: false });
  const [lock, record] = [`${entry.id}.lock.2`, `${entry.id}.entry`];
  await writeFile(join(journal.place, lock), owner);
  await unlink(join(journal.place, `${entry.id}.lock.1`));
  await writeFile(join(journal.place, record), "of the new owner");
  expect((await failure(entry.update({ a: 1 }))).code).toBe("JOURNAL_ENTRY_BUSY");
  await entry.complete();
  expect((await readdir(journal.place)).filter((name) => name.startsWith(entry.id)).sort()).toEqual([record, lock]);
});
