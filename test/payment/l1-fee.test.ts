import { Transaction } from "ethers";
import { beforeEach, expect, test } from "vitest";
import { networks, type PaymentToken } from "../../src/base/config/networks.ts";
import type { KeeplightError } from "../../src/base/errors/base.ts";
import type { PayOptions } from "../../src/payment/index.ts";
import { payWithToken } from "../../src/payment/pay.ts";
import { failure } from "../support/failure.ts";
import { chainForTests, type Payer, withRpc } from "./chain-tools.ts";
import { createRpcProxy } from "./rpc-proxy.ts";

const chain = chainForTests();
const ORACLE = "0x420000000000000000000000000000000000000f";
const PER_BYTE = 10n ** 15n;

/** An oracle that charges 10^15 for each byte of the argument of `getL1Fee(bytes)`. */
const FIXED_PRICE = [
  "0x",
  "602435", // the argument's length: 32 bytes at 4 + 32
  `67${PER_BYTE.toString(16).padStart(16, "0")}`, // eight bytes of a price
  "02", // multiplied
  "600052", // kept at 0
  "60206000f3", // and return it: 32 bytes from 0
].join("");

beforeEach(() => chain().rpc("anvil_setCode", ORACLE, FIXED_PRICE));

function pay(payer: Payer, token: PaymentToken, opStack: boolean, more: Partial<PayOptions> = {}) {
  const network = { ...chain().network, opStack };
  // The prices here are far beyond those of any chain.
  const fixed = { network, token, amount: 5n, privateKey: payer.privateKey, pollMs: 10, maxFee: 10n ** 18n };
  return payWithToken({ ...fixed, ...more } as PayOptions);
}

const setBalance = (payer: Payer, wei: bigint) =>
  chain().rpc("anvil_setBalance", payer.address, `0x${wei.toString(16)}`);
const needed = (error: KeeplightError) => BigInt(String(error.details["needed"]));

test("Optimism's networks are of the OP Stack, and no other of the table is", () => {
  const flagged = Object.entries(networks).filter(([, row]) => "opStack" in row && row.opStack);
  expect(flagged.map(([name]) => name)).toEqual(["optimism", "optimism-testnet"]);
});

test.each([
  ["native", 1n],
  // the payment that follows the approval is as long
  ["usdc", 2n],
] as const)("the balance has to cover the L1 fee of each transaction (%s)", async (token, count) => {
  const payer = await chain().payer();
  await setBalance(payer, 10n);
  const without = await failure(pay(payer, token, false));
  const error = await failure(pay(payer, token, true));
  expect([without.code, error.code]).toEqual(["INSUFFICIENT_FUNDS", "INSUFFICIENT_FUNDS"]);
  const l1Fee = needed(error) - needed(without);
  const estimatedLength = (l1Fee * 4n) / (5n * count * PER_BYTE);

  // Exactly the needed amount is enough, one wei less is not.
  await setBalance(payer, needed(error) - 1n);
  const again = await failure(pay(payer, token, true));
  expect([again.code, again.details["asset"]]).toEqual(["INSUFFICIENT_FUNDS", "ETH"]);
  expect(await chain().rpc("eth_getTransactionCount", payer.address, "pending")).toBe("0x0");
  await setBalance(payer, needed(error));
  const { transactions } = await pay(payer, token, true);
  expect(transactions).toHaveLength(Number(count));
  for (const { hash } of transactions) {
    const raw = await chain().rpc<string>("eth_getRawTransactionByHash", hash);
    const { length } = Transaction.from(raw).unsignedSerialized;
    // nonce and fees, which change from block to block, vary by a few bytes
    expect(Math.abs((length - 2) / 2 - Number(estimatedLength))).toBeLessThanOrEqual(4);
  }
});

test("a row with opStack on a chain without the oracle is refused before anything is signed", async () => {
  const payer = await chain().payer();
  await chain().rpc("anvil_setCode", ORACLE, "0x");
  const error = await failure(pay(payer, "native", true));
  expect([error.code, error.message]).toEqual([
    "WRONG_CONTRACT",
    "Wrong contract at 0x420000000000000000000000000000000000000F: it does not quote the L1 fee",
  ]);
  expect(await chain().paid(payer.address)).toBe(0);
  await pay(payer, "native", false);
  expect(await chain().paid(payer.address)).toBe(1);
});

test("the L1 fee is part of the payment's fee", async () => {
  const payer = await chain().payer();
  const proxy = await createRpcProxy(chain().chain.rpc, async ({ method, forward }) => {
    const result = await forward();
    return method === "eth_getTransactionReceipt" && result ? { ...(result as object), l1Fee: "0x3039" } : result;
  });
  const payment = await pay(payer, "dai", true, { network: { ...withRpc(chain().network, proxy.url), opStack: true } });
  for (const { hash, fee } of payment.transactions) {
    const receipt = await chain().rpc<{ gasUsed: string; effectiveGasPrice: string }>(
      "eth_getTransactionReceipt",
      hash,
    );
    expect(fee).toBe(BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice) + 12_345n);
  }
  expect(payment.transactions).toHaveLength(2);
});

test("a row's opStack is true or false", async () => {
  const network = { ...chain().network, opStack: "yes" } as unknown as PayOptions["network"];
  const error = await failure(
    payWithToken({ network, token: "native", amount: 5n, privateKey: "1".repeat(64) } as PayOptions),
  );
  expect([error.code, error.details["option"]]).toEqual(["INVALID_OPTION", "network.opStack"]);
});
