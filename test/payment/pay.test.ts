import { BrowserProvider } from "ethers";
import { describe, expect, onTestFinished, test, vi } from "vitest";

import type { PaymentToken, StableToken } from "../../src/base/config/networks.ts";
import type { Payment, PaymentProgress } from "../../src/payment/index.ts";
import { payWithToken } from "../../src/payment/pay.ts";
import { failure } from "../support/failure.ts";
import { approve, chainForTests, type Payer, type TestChain } from "./chain-tools.ts";

const tokens: readonly PaymentToken[] = ["usdc", "usdt", "dai", "native"];
const quick = { pollMs: 10 };

/** Pays, and checks the result against the chain. */
async function payAndCheck(
  tools: TestChain,
  payer: Payer,
  token: PaymentToken,
  pay: () => Promise<Payment>,
  amount: bigint,
) {
  const { network, balance } = tools;
  const { contract } = network;
  const before = {
    coins: await balance("native", payer.address),
    tokens: await balance(token, payer.address),
    received: await balance(token, contract),
  };
  const payment = await pay();
  const fees = await sumFees(tools, payment);
  expect(await balance(token, contract)).toBe(before.received + amount);
  if (token === "native") {
    expect(await balance("native", payer.address)).toBe(before.coins - amount - fees);
  } else {
    expect(await balance(token, payer.address)).toBe(before.tokens - amount);
    expect(await balance("native", payer.address)).toBe(before.coins - fees);
  }
  expect(payment.fee).toBe(fees);
  expect(payment).toMatchObject({
    amount,
    token,
    chainId: network.chain_id,
    from: payer.address,
    contract: contract.toLowerCase(),
    event: {
      sender: payer.address,
      tokenAddress: token === "native" ? `0x${"0".repeat(40)}` : network.tokens[token]?.address,
      amount,
      data: "0x",
    },
  });
  expect(payment.transactions.at(-1)).toMatchObject({ step: "pay", hash: payment.hash, block: payment.block });
  return payment;
}

/** Reads the cost of the payment's transactions from the chain. */
async function sumFees({ rpc }: TestChain, { transactions }: Payment): Promise<bigint> {
  let sum = 0n;
  for (const { hash } of transactions) {
    const receipt = await rpc<{ gasUsed: string; effectiveGasPrice: string }>("eth_getTransactionReceipt", hash);
    sum += BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice);
  }
  return sum;
}

describe.each([
  ["a chain with EIP-1559", {}, "0x2"],
  ["a chain with legacy fees", { hardfork: "berlin" }, "0x0"],
])("on %s", (_, options, type) => {
  const chain = chainForTests(options);

  test.each(tokens)("a payment in %s transfers exactly the amount, and its event is read", async (token) => {
    const tools = chain();
    const payer = await tools.payer();
    const { network } = tools;
    const amount = token === "dai" ? 123_456_789_012_345_678n : 1_234_567n;
    const payment = await payAndCheck(
      tools,
      payer,
      token,
      () => payWithToken({ network, token, amount, privateKey: payer.privateKey, ...quick }),
      amount,
    );
    expect(payment.transactions.map(({ step }) => step)).toEqual(token === "native" ? ["pay"] : ["approve", "pay"]);
    for (const { hash } of payment.transactions) {
      expect((await tools.rpc<{ type: string }>("eth_getTransactionByHash", hash)).type).toBe(type);
    }
    if (token !== "native") expect(await tools.allowance(token, payer.address)).toBe(0n);
  });

  test.each<StableToken>(["usdt", "usdc"])(
    "an allowance of %s that is too small is set again, through zero if required",
    async (token) => {
      const tools = chain();
      const payer = await tools.payer();
      await approve(tools, payer, token, 7n);
      const payment = await payAndCheck(
        tools,
        payer,
        token,
        () => payWithToken({ network: tools.network, token, amount: 5_000, privateKey: payer.privateKey, ...quick }),
        5_000n,
      );
      const expected = token === "usdt" ? ["reset-allowance", "approve", "pay"] : ["approve", "pay"];
      expect(payment.transactions.map(({ step }) => step)).toEqual(expected);
    },
  );
});

describe("each kind of payer", () => {
  const chain = chainForTests();

  test.each(tokens)("a sufficient allowance is not set again (%s)", async (token) => {
    const tools = chain();
    const payer = await tools.payer();
    if (token !== "native") await approve(tools, payer, token, 9_999n);
    const { transactions } = await payWithToken({
      network: tools.network,
      token,
      amount: 9_000n,
      privateKey: payer.privateKey,
      ...quick,
    });
    expect(transactions.map(({ step }) => step)).toEqual(["pay"]);
    if (token !== "native") expect(await tools.allowance(token, payer.address)).toBe(999n);
  });

  test.each(tokens)("an ethers signer with its own provider pays in %s", async (token) => {
    const tools = chain();
    const payer = await tools.payer();
    const network = { ...tools.network, rpc: "http://127.0.0.1:9" };
    await payAndCheck(
      tools,
      payer,
      token,
      () => payWithToken({ network, token, amount: 77n, signer: payer.wallet, ...quick }),
      77n,
    );
  });

  test.each([
    ["without 0x", (key: string) => key.slice(2)],
    ["in capitals", (key: string) => `0x${key.slice(2).toUpperCase()}`],
  ])("a private key %s pays", async (_, written) => {
    const tools = chain();
    const payer = await tools.payer();
    const privateKey = written(payer.privateKey);
    const pay = () => payWithToken({ network: tools.network, token: "native", amount: 5n, privateKey, ...quick });
    await payAndCheck(tools, payer, "native", pay, 5n);
  });

  test("an ethers signer without a provider pays through the network's", async () => {
    const tools = chain();
    const payer = await tools.payer();
    const signer = payer.wallet.connect(null);
    await payAndCheck(
      tools,
      payer,
      "dai",
      () => payWithToken({ network: tools.network, token: "dai", amount: 5n, signer, ...quick }),
      5n,
    );
  });

  test("a signer that only sends transactions pays", async () => {
    const tools = chain();
    const payer = await tools.payer();
    const signer = {
      getAddress: () => payer.wallet.getAddress(),
      sendTransaction: (fields: object) => payer.wallet.sendTransaction(fields),
    };
    await payAndCheck(
      tools,
      payer,
      "usdt",
      () => payWithToken({ network: tools.network, token: "usdt", amount: 5n, signer, ...quick }),
      5n,
    );
  });

  test.each(tokens)("a wallet of the page pays in %s, by EIP-1193 or as an ethers signer", async (token) => {
    const tools = chain();
    const payer = await tools.payer();
    const wallet = await createWallet(tools, payer);
    const network = { ...tools.network, rpc: "http://127.0.0.1:9" };
    await payAndCheck(
      tools,
      payer,
      token,
      () => payWithToken({ network, token, amount: 6n, signer: wallet, ...quick }),
      6n,
    );
    const signer = await new BrowserProvider(wallet).getSigner();
    await payAndCheck(tools, payer, token, () => payWithToken({ network, token, amount: 7n, signer, ...quick }), 7n);
    expect(await tools.paid(payer.address)).toBe(2);
  });

  test("a size is paid at its price, and the devnet raises the payer's limit by it", async () => {
    const tools = chain();
    const { devnet, network } = tools;
    for (const token of tokens) {
      const payer = await tools.payer();
      const usage = await getUsage(tools, payer);
      const size = 3_000_001;
      const { amount } = await payWithToken({
        network,
        token,
        size,
        privateKey: payer.privateKey,
        endpoints: devnet.endpoints,
        ...quick,
      });
      if (token !== "native") expect(amount).toBe(token === "dai" ? 11_175_874_620_676_041n : 11_176n);
      const more = (await getUsage(tools, payer)) - usage;
      expect(more).toBeGreaterThanOrEqual(size);
      expect(more).toBeLessThan(size * 1.0001);
    }
  });

  test("progress names every step and transaction, never decreases, and is 1 only at the end", async () => {
    const tools = chain();
    const payer = await tools.payer();
    await approve(tools, payer, "usdt", 1n);
    const seen: PaymentProgress[] = [];
    const network = { ...tools.network, scan: "https://explorer.test/tx/" };
    const payment = await payWithToken({
      network,
      token: "usdt",
      amount: 50n,
      privateKey: payer.privateKey,
      ...quick,
      onProgress: (progress) => seen.push(progress),
    });
    const steps = payment.transactions.flatMap(({ step, hash, link }) => [
      { phase: step, state: "signing" },
      { phase: step, state: "sent", hash, link },
      { phase: step, state: "confirmed", hash, link },
    ]);
    expect(seen.map(({ fraction: _, ...rest }) => rest)).toEqual([{ phase: "checking" }, ...steps]);
    const fractions = seen.map(({ fraction }) => fraction);
    expect(fractions).toEqual([...fractions].sort((a, b) => a - b));
    expect(fractions.indexOf(1)).toBe(fractions.length - 1);
    expect(payment.link).toBe(`https://explorer.test/tx/${payment.hash}`);
  });

  test("a queued native-coin price is quoted again, within the limit", async () => {
    const tools = chain();
    const { devnet, network } = tools;
    const payer = await tools.payer();
    const { privateKey } = payer;
    const { endpoints } = devnet;
    const size = 2 ** 28;
    const countRequests = () => devnet.requests().filter(({ path }) => path.includes("get_ticker")).length;
    const before = countRequests();
    await tools.rpc("evm_setAutomine", false);
    onTestFinished(() => tools.rpc<void>("evm_setAutomine", true));
    const first = payWithToken({ network, token: "native", amount: 5n, privateKey, ...quick });
    const sized = { network, token: "native", size, privateKey, endpoints, ...quick } as const;
    const dearer = payWithToken(sized);
    const tooDear = failure(payWithToken({ ...sized, maxAmount: 10n ** 15n }));
    await expect.poll(countRequests).toBe(before + 2);
    devnet.setTicker("ETH", 500);
    onTestFinished(() => devnet.setTicker("ETH", 3_000));
    const { now } = performance;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now.call(performance) + 300_000);
    onTestFinished(() => clock.mockRestore());
    await tools.rpc("evm_setAutomine", true);
    await tools.rpc("anvil_mine", "0x1");
    expect((await first).amount).toBe(5n);
    expect((await dearer).amount).toBe(2_000_000_000_000_000n);
    expect(await tooDear).toMatchObject({ code: "PAYMENT_ABOVE_LIMIT", details: { amount: "2000000000000000" } });
    expect(await tools.paid(payer.address)).toBe(2);
  });

  test("two concurrent payments of one account are both made, each once", async () => {
    const tools = chain();
    const payer = await tools.payer();
    const { network } = tools;
    const pay = (token: PaymentToken, amount: bigint) =>
      payWithToken({ network, token, amount, privateKey: payer.privateKey, ...quick });
    const before = await tools.balance("usdt", network.contract);
    const payments = await Promise.all([pay("usdt", 100n), pay("native", 5n), pay("usdt", 200n), pay("dai", 5n)]);
    expect(new Set(payments.map(({ hash }) => hash)).size).toBe(4);
    expect(await tools.balance("usdt", network.contract)).toBe(before + 300n);
    expect(await tools.paid(payer.address)).toBe(4);
  });

  test("a payment waits for its confirmations", async () => {
    const tools = chain();
    const payer = await tools.payer();
    const paying = payWithToken({
      network: tools.network,
      token: "native",
      amount: 5n,
      privateKey: payer.privateKey,
      confirmations: 4,
      ...quick,
    });
    await expect.poll(() => tools.paid(payer.address)).toBe(1);
    let settle = false;
    void paying.finally(() => {
      settle = true;
    });
    await tools.rpc("anvil_mine", "0x2");
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(settle).toBe(false);
    await tools.rpc("anvil_mine", "0x1");
    const { block } = await paying;
    expect(Number(await tools.rpc<string>("eth_blockNumber"))).toBe(block + 3);
  });
});

/** Creates an EIP-1193 wallet, as injected into a page. */
async function createWallet({ rpc }: TestChain, payer: Payer) {
  await rpc("anvil_impersonateAccount", payer.address);
  return {
    request: ({ method, params = [] }: { method: string; params?: unknown }): Promise<unknown> =>
      method === "eth_requestAccounts" || method === "eth_accounts"
        ? Promise.resolve([payer.address])
        : rpc(method, ...(params as unknown[])),
  };
}

async function getUsage({ devnet }: TestChain, payer: Payer): Promise<number> {
  const { api } = devnet.endpoints;
  const message = await (await fetch(`${api}/api/auth/get_auth_message?publicKey=${payer.address}`)).json();
  const body = JSON.stringify({
    publicKey: payer.address,
    signedMessage: await payer.wallet.signMessage(String(message)),
  });
  const headers = { "content-type": "application/json" };
  const key = await (await fetch(`${api}/api/auth/create_api_key`, { method: "POST", body, headers })).json();
  const usage = await fetch(`${api}/api/user/user_data_usage`, { headers: { authorization: `Bearer ${key}` } });
  return ((await usage.json()) as { dataLimit: number }).dataLimit;
}
