import { afterEach, describe, expect, test } from "vitest";
import type { PaymentToken } from "../../src/base/config/networks.ts";
import { UnfinishedError } from "../../src/base/errors/unfinished.ts";
import type { PaymentProgress, PayOptions } from "../../src/payment/index.ts";
import { payWithToken, resumePayments } from "../../src/payment/pay.ts";
import type { Journal } from "../../src/storage/resume/journal.ts";
import { openJournal } from "../../src/storage/resume/open-journal.ts";
import { failure } from "../support/failure.ts";
import { captureHash, chainForTests, type Payer } from "./chain-tools.ts";
import { bundlePayments, type ChildPayment, createFolder, payAndKill, payInChild } from "./child-rig.ts";

const chain = chainForTests();
const quick = { pollMs: 10, missingMs: 100, timeoutMs: 5_000 };
let orders = 0;

afterEach(async () => {
  await chain().rpc("evm_setAutomine", true);
  await chain().rpc("anvil_mine", "0x1");
});

/** A payer with an order that no other test has. */
async function setUp(token: PaymentToken = "native") {
  const tools = chain();
  const payer = await tools.payer(token === "native" ? undefined : token);
  const orderId = `order ${++orders}`;
  const pay = (options: Partial<PayOptions> = {}) =>
    payWithToken({
      network: tools.network,
      token,
      amount: 1000n,
      privateKey: payer.privateKey,
      orderId,
      ...quick,
      ...options,
    } as PayOptions);
  return { tools, payer, orderId, pay };
}

/** Aborts when the paying transaction is sent, or when a step is confirmed. */
function abortAt(phase: PaymentProgress["phase"], state: PaymentProgress["state"]) {
  const controller = new AbortController();
  const onProgress = (progress: PaymentProgress) => {
    if (progress.phase === phase && progress.state === state) controller.abort();
  };
  return { onProgress, signal: controller.signal };
}

describe("an order", () => {
  test.each([{ journaled: false }, { journaled: true }])(
    "is paid once, however often it is paid (in a journal: $journaled)",
    async ({ journaled }) => {
      const { tools, payer, pay } = await setUp("usdc");
      const journal = journaled ? await openJournal({ folder: await createFolder() }) : undefined;
      const [one, two] = await Promise.all([pay({ journal }), pay({ journal })]);
      const three = await pay({ journal });
      expect(two).toEqual(one);
      expect(three).toEqual(one);
      expect(await tools.paid(payer.address)).toBe(1);
    },
  );

  test("whose payment was aborted continues in another call, and the older error returns the same payment", async () => {
    const { tools, payer, pay } = await setUp();
    const error = await failure(pay(abortAt("pay", "sent")));
    expect(error).toBeInstanceOf(UnfinishedError);
    const payment = await pay();
    expect(payment.hash).toBe(error.details["hash"]);
    expect(await (error as UnfinishedError<unknown, object>).resume()).toEqual(payment);
    expect(await tools.paid(payer.address)).toBe(1);
  });

  test.each([{ journaled: false }, { journaled: true }])(
    "keeps its amount, and until it is paid its payer (in a journal: $journaled)",
    async ({ journaled }) => {
      const { tools, payer, pay } = await setUp();
      const journal = journaled ? await openJournal({ folder: await createFolder() }) : undefined;
      const other = await tools.payer("native");
      await failure(pay({ journal, ...abortAt("pay", "sent") }));
      const otherPayer = await failure(pay({ journal, privateKey: other.privateKey }));
      expect(otherPayer).toMatchObject({ code: "INVALID_OPTION", details: { option: "signer" } });
      const otherAmount = { code: "INVALID_OPTION", details: { option: "orderId" } };
      expect(await failure(pay({ journal, amount: 1001n }))).toMatchObject(otherAmount);
      await pay({ journal });
      expect(await failure(pay({ journal, amount: 1001n }))).toMatchObject(otherAmount);
      expect([await tools.paid(payer.address), await tools.paid(other.address)]).toEqual([1, 0]);
    },
  );

  test("that was displaced is paid again once that is final, and only by another call", async () => {
    const { tools, payer, pay } = await setUp();
    await tools.rpc("evm_setAutomine", false);
    const { hash, onProgress } = captureHash("pay");
    const paying = failure(pay({ onProgress, missingMs: 60_000 }));
    await tools.rpc("anvil_dropTransaction", await hash);
    const cancel = { to: payer.address, value: 0n, gasPrice: 10n ** 11n, gasLimit: 21_000n, type: 0 };
    const nonce = await payer.wallet.getNonce("latest");
    const fields = { ...cancel, nonce, chainId: tools.network.chain_id };
    await tools.rpc("eth_sendRawTransaction", await payer.wallet.signTransaction(fields));
    await tools.rpc("anvil_mine", "0x1");
    const error = (await paying) as UnfinishedError<unknown, object>;
    const resumed = await failure(error.resume());
    expect([error.code, resumed.code]).toEqual(["PAYMENT_REPLACED", "PAYMENT_REPLACED"]);
    await tools.rpc("evm_setAutomine", true);
    const tooEarly = await failure(pay({ waitMs: 50 }));
    expect(tooEarly.code).toBe("PAYMENT_TIMEOUT");
    await tools.rpc("anvil_mine", "0x41");
    const payment = await pay();
    expect(payment.transactions.map(({ step }) => step)).toEqual(["pay"]);
    expect(await error.resume()).toEqual(payment);
    expect(await tools.paid(payer.address)).toBe(1);
  });
});

describe("a journal", () => {
  const openPayments = async (journal: Journal) => (await journal.list()).map(({ kind, names }) => [kind, names]);

  test.each([
    { phase: "approve", state: "signing" },
    { phase: "approve", state: "sent" },
    { phase: "pay", state: "signing" },
    { phase: "pay", state: "sent" },
  ] as const)("completes a payment that ended at $phase, $state", async ({ phase, state }) => {
    const { tools, payer, orderId, pay } = await setUp("usdc");
    const folder = await createFolder();
    const error = await failure(pay({ journal: await openJournal({ folder }), ...abortAt(phase, state) }));
    expect(error.code).toBe("ABORTED");
    const journal = await openJournal({ folder });
    const isSent = error instanceof UnfinishedError;
    expect(await openPayments(journal)).toEqual(isSent ? [["payment", [orderId]]] : []);
    const reports = await resumePayments(journal, { privateKey: payer.privateKey, ...quick });
    expect(reports).toMatchObject(isSent ? [{ orderId, payment: { amount: 1000n } }] : []);
    expect(await openPayments(journal)).toEqual([]);
    expect(await tools.paid(payer.address)).toBe(isSent ? 1 : 0);
    const payment = await pay({ journal });
    expect(reports.map((report) => "payment" in report && report.payment.hash)).toEqual(isSent ? [payment.hash] : []);
    expect(await tools.paid(payer.address)).toBe(1);
  });

  test("completes a payment without an order id, which its error cannot resume afterwards", async () => {
    const { tools, payer, pay } = await setUp("usdc");
    const journal = await openJournal({ folder: await createFolder() });
    const error = await failure(pay({ journal, orderId: undefined, ...abortAt("approve", "confirmed") }));
    const [report] = await resumePayments(journal, { privateKey: payer.privateKey, ...quick });
    expect(report).toMatchObject({ payment: { amount: 1000n } });
    const late = await failure((error as UnfinishedError<unknown, object>).resume());
    expect(late.code).toBe("JOURNAL_ENTRY_UNKNOWN");
    expect(await tools.paid(payer.address)).toBe(1);
  });

  test("completes only the payments that are named; an unfinished error names its own", async () => {
    const { tools, payer, pay } = await setUp();
    const journal = await openJournal({ folder: await createFolder() });
    const abort = () => failure(pay({ journal, orderId: undefined, ...abortAt("pay", "sent") }));
    const errors = [await abort(), await abort()] as UnfinishedError<unknown, object>[];
    const [first = "", second = ""] = errors.map(({ operationId }) => operationId);
    const owner = { privateKey: payer.privateKey, ...quick };
    expect(await resumePayments(journal, { ...owner, ids: [] })).toEqual([]);
    expect(await resumePayments(journal, { ...owner, ids: [second] })).toMatchObject([{ payment: { amount: 1000n } }]);
    expect((await journal.list()).map(({ id }) => id)).toEqual([first]);
    const invalid = failure(resumePayments(journal, { ...owner, ids: first as never }));
    expect(await invalid).toMatchObject({ code: "INVALID_OPTION", details: { option: "ids" } });
    await resumePayments(journal, owner);
    expect(await tools.paid(payer.address)).toBe(2);
  });

  test("leaves payments of other accounts open, and its other operations alone", async () => {
    const { tools, payer, pay } = await setUp();
    const other = await tools.payer("native");
    const journal = await openJournal({ folder: await createFolder() });
    await failure(pay({ journal, ...abortAt("pay", "sent") }));
    const [report] = await resumePayments(journal, { privateKey: other.privateKey, ...quick });
    expect(report).toMatchObject({ error: { code: "INVALID_OPTION", details: { option: "signer" } } });
    expect(await journal.resumeAll({ signer: payer.wallet })).toEqual([]);
    const [open] = await journal.list();
    expect((await failure(journal.resume(open?.id ?? "", { signer: payer.wallet }))).message).toContain(
      "resumePayments",
    );
    await resumePayments(journal, { privateKey: payer.privateKey, ...quick });
    expect(await tools.paid(payer.address)).toBe(1);
  });
});

describe("processes", () => {
  const toChildPayment = (folder: string, payer: Payer, orderId: string): ChildPayment => ({
    folder,
    network: chain().network,
    token: "usdc",
    amount: 1000,
    privateKey: payer.privateKey,
    orderId,
  });

  test("with one order at once pay it once, and report the same hash; with two orders, two", async () => {
    const tools = chain();
    const folder = await createFolder();
    const script = await bundlePayments(folder);
    const payer = await tools.payer("usdc");
    const [one, two, three] = await Promise.all(
      ["a", "a", "b"].map((orderId) => payInChild(script, toChildPayment(folder, payer, orderId))),
    );
    expect([one?.error, two?.error, three?.error]).toEqual([undefined, undefined, undefined]);
    expect(two?.hash).toBe(one?.hash);
    expect(three?.hash).not.toBe(one?.hash);
    expect(await tools.paid(payer.address)).toBe(2);
  });

  test("that are killed pay once when they run again", async () => {
    const tools = chain();
    const folder = await createFolder();
    const script = await bundlePayments(folder);
    for (const killAfterMs of [20, 80, 140]) {
      const payer = await tools.payer("usdc");
      const payment = toChildPayment(folder, payer, `killed after ${killAfterMs}`);
      await payAndKill(script, payment, killAfterMs);
      const { hash, error } = await payInChild(script, payment);
      expect([error, hash?.length]).toEqual([undefined, 66]);
      expect(await tools.paid(payer.address), `killed after ${killAfterMs} ms`).toBe(1);
    }
  });
});
