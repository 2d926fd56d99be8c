import { afterEach, expect, test, vi } from "vitest";
import {
  createOrder,
  type PaymentOrder,
  type PaymentProgress,
  type PayOptions,
  payWithToken,
} from "../../src/index.ts";
import { openJournal } from "../../src/storage/resume/open-journal.ts";
import { failure } from "../support/failure.ts";
import { captureHash, chainForTests } from "./chain-tools.ts";
import { createFolder } from "./child-rig.ts";

const chain = chainForTests();
const COIN = 10n ** 18n;
/** Bytes that cost one US dollar. */
const size = 2 ** 28;
const quick = { pollMs: 5, missingMs: 1_000 };

afterEach(async () => {
  vi.useRealTimers();
  chain().devnet.setTicker("ETH", 3_000);
  await chain().rpc("evm_setAutomine", true);
  await chain().rpc("anvil_mine", "0x1");
});

test.each([{ journaled: false }, { journaled: true }])(
  "an order that failed for good is paid again up to the limit of the new call (in a journal: $journaled)",
  async ({ journaled }) => {
    const tools = chain();
    const payer = await tools.payer("native");
    const journal = journaled ? await openJournal({ folder: await createFolder() }) : undefined;
    tools.devnet.setTicker("ETH", 3_000);
    const { network, devnet } = tools;
    const order = { network, token: "native", size, orderId: `dear ${journaled}`, endpoints: devnet.endpoints };
    const pay = (options: object) =>
      payWithToken({ ...order, journal, privateKey: payer.privateKey, ...quick, ...options } as PayOptions);

    await tools.rpc("evm_setAutomine", false);
    const { hash, onProgress } = captureHash("pay");
    const pending = failure(pay({ maxAmount: COIN, waitMs: 30, onProgress }));
    await tools.rpc("anvil_dropTransaction", await hash);
    expect((await pending).code).toBe("PAYMENT_TIMEOUT");
    // Another transaction of the payer takes its nonce, for good.
    const { chain_id: chainId } = network;
    const other = { to: payer.address, nonce: 0, gasPrice: 10n ** 11n, gasLimit: 21_000n, type: 0, chainId };
    await tools.rpc("eth_sendRawTransaction", await payer.wallet.signTransaction(other));
    await tools.rpc("anvil_mine", "0x41");
    await tools.rpc("evm_setAutomine", true);
    // The coin is worth twice as much by now.
    tools.devnet.setTicker("ETH", 6_000);
    const before = await tools.balance("native", network.contract);
    const result = await pay({ maxAmount: COIN / 5_000n }).catch((error) => error);
    const paid = (await tools.balance("native", network.contract)) - before;
    expect([result.code, paid]).toEqual(["PAYMENT_ABOVE_LIMIT", 0n]);
    expect(result.details).toMatchObject({
      amount: String((COIN + 1_500n) / 3_000n),
      maxAmount: String(COIN / 5_000n),
    });
    expect((await pay({ maxAmount: COIN / 3_000n + 1n })).amount).toBe((COIN + 1_500n) / 3_000n);
  },
);

test("an order that its server renews is paid after its earlier one has expired, though something was sent for that", async () => {
  const tools = chain();
  const { network } = tools;
  const payer = await tools.payer("usdc");
  const journal = await openJournal({ folder: await createFolder() });
  const terms = { orderId: "renewed", network, token: "usdc", amount: 1000n } as const;
  const earlier = await createOrder({ ...terms, expiresInMs: 60_000 });
  const abort = new AbortController();
  const pay = (order: PaymentOrder, options: Partial<PayOptions> = {}) =>
    payWithToken({ order, network, journal, privateKey: payer.privateKey, ...quick, ...options } as PayOptions);
  const onProgress = ({ phase, state }: PaymentProgress) => {
    if (phase === "approve" && state === "confirmed") abort.abort();
  };
  const interrupted = await failure(pay(earlier, { onProgress, signal: abort.signal }));
  expect(interrupted.code).toBe("ABORTED");
  vi.setSystemTime(Date.parse(earlier.expiresAt));
  expect((await failure(pay(earlier))).code).toBe("ORDER_EXPIRED");
  const renewed = await createOrder(terms);
  expect(await pay(renewed)).toMatchObject({ amount: 1000n });
  expect(await tools.paid(payer.address)).toBe(1);
});
