import { JsonRpcProvider, parseEther, Wallet } from "ethers";
import { expect, test } from "vitest";
import { account, devnetForTests } from "../../../test/support/devnet-wire.ts";

// What a chain refuses whose nodes are stricter than the devnet's own.

const unkind = devnetForTests({ unkind: true, chain: true });
const kind = devnetForTests({ chain: true });
const GWEI = 10n ** 9n;
const to = "0x1111111111111111111111111111111111111111";

/** Connects the wallet of the first account to a chain that mines only when it is told to. */
async function connect(devnet: ReturnType<typeof unkind>) {
  const provider = new JsonRpcProvider(devnet.chain?.rpc, undefined, { batchMaxCount: 3 });
  const wallet = new Wallet(account(devnet, 0).privateKey, provider);
  await provider.send("evm_setAutomine", [false]);
  return {
    wallet,
    provider,
    nonce: await wallet.getNonce(),
    async end() {
      await provider.send("evm_setAutomine", [true]);
      provider.destroy();
    },
  };
}

/** Returns the message of a refused transaction; `undefined` if it was accepted. */
async function refusalOf(sent: Promise<unknown>): Promise<string | undefined> {
  return sent.then(
    () => undefined,
    (error: { error?: { message?: string }; info?: { error?: { message?: string } } }) =>
      error.info?.error?.message ?? error.error?.message ?? String(error),
  );
}

test.each([
  [
    "EIP-1559",
    (percent: bigint) => ({ maxFeePerGas: 40n * GWEI * percent, maxPriorityFeePerGas: 2n * GWEI * percent }),
  ],
  ["legacy", (percent: bigint) => ({ type: 0, gasPrice: 40n * GWEI * percent })],
])("a replacement of a %s transaction offers at least 10 %% more", async (_, fees) => {
  const { wallet, provider, nonce, end } = await connect(unkind());
  const send = (percent: bigint) => {
    const offer = Object.fromEntries(Object.entries(fees(percent)).map(([name, value]) => [name, scale(name, value)]));
    return wallet.sendTransaction({ to, value: 1n, nonce, gasLimit: 21_000n, ...offer });
  };
  await send(100n);
  for (const percent of [101n, 109n]) {
    expect(await refusalOf(send(percent))).toContain("replacement transaction underpriced");
  }
  const replacement = await send(110n);
  await provider.send("evm_mine", []);
  expect((await provider.getTransactionReceipt(replacement.hash))?.status).toBe(1);
  expect(await refusalOf(send(150n))).toMatch(/nonce/);
  await end();
});

function scale(name: string, value: unknown): unknown {
  return name === "type" ? value : (value as bigint) / 100n;
}

test("a balance covers the value and the highest fee of all gas, or is refused in geth's words", async () => {
  const { provider, end } = await connect(unkind());
  const poor = Wallet.createRandom(provider);
  const fee = 40n * GWEI;
  const transaction = { to, value: parseEther("1"), nonce: 0, gasLimit: 21_000n, maxFeePerGas: fee, type: 2 };
  const cost = transaction.value + transaction.gasLimit * fee;
  await provider.send("anvil_setBalance", [poor.address, `0x${(cost - 1n).toString(16)}`]);
  const send = () => poor.sendTransaction({ ...transaction, maxPriorityFeePerGas: GWEI });
  expect(await refusalOf(send())).toContain("insufficient funds for gas * price + value");
  await provider.send("anvil_setBalance", [poor.address, `0x${cost.toString(16)}`]);
  const { hash } = await send();
  await provider.send("evm_mine", []);
  expect((await provider.getTransactionReceipt(hash))?.status).toBe(1);
  await end();
});

test("otherwise any higher fee replaces a transaction", async () => {
  const { wallet, nonce, end } = await connect(kind());
  const send = (fee: bigint) =>
    wallet.sendTransaction({
      to,
      nonce,
      gasLimit: 21_000n,
      maxFeePerGas: fee,
      maxPriorityFeePerGas: GWEI + fee / 100n,
    });
  await send(40n * GWEI);
  expect(await refusalOf(send(41n * GWEI))).toBeUndefined();
  await end();
});
