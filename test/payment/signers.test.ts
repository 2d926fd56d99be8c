import { NonceManager } from "ethers";
import { type Account, createWalletClient, custom, http, type WalletClient } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { describe, expect, test } from "vitest";
import type { PaymentSigner } from "../../src/network/ethereum/wallet/signer.ts";
import { estimatePayment } from "../../src/payment/estimate-payment.ts";
import { payWithToken } from "../../src/payment/pay.ts";
import { failure } from "../support/failure.ts";
import { chainForTests } from "./chain-tools.ts";

const chain = chainForTests();
const quick = { pollMs: 5, timeoutMs: 5_000 };

async function setUp() {
  const tools = chain();
  const payer = await tools.payer();
  const account = privateKeyToAccount(payer.privateKey as `0x${string}`);
  const pay = (signer: PaymentSigner, token: "native" | "usdt" = "native") =>
    payWithToken({ network: tools.network, token, amount: 1000n, signer, ...quick });
  return { tools, payer, account, pay };
}

describe("viem", () => {
  test.each(["native", "usdt"] as const)("an account pays in %s", async (token) => {
    const { tools, payer, account, pay } = await setUp();
    expect(await pay(account, token)).toMatchObject({ from: payer.address });
    expect(await tools.paid(payer.address)).toBe(1);
  });

  test("an account pays on a chain without a base fee, and a client of it through its own node", async () => {
    const { tools, payer, account, pay } = await setUp();
    const methods: string[] = [];
    const transport = custom({
      request: async ({ method, params }: { method: string; params?: unknown[] }) => {
        methods.push(method);
        const result = await tools.rpc<object>(method, ...(params ?? []));
        return method === "eth_getBlockByNumber" ? { ...result, baseFeePerGas: null } : result;
      },
    });
    const { hash } = await pay(createWalletClient({ account, transport }));
    expect(await tools.rpc("eth_getTransactionByHash", hash)).toMatchObject({ type: "0x0", from: payer.address });
    expect(methods).toContain("eth_sendRawTransaction");
  });

  test("a client with a local account pays from it, not from an account that the node has unlocked", async () => {
    const { tools, payer, account, pay } = await setUp();
    const [unlocked = ""] = await tools.rpc<string[]>("eth_accounts");
    const before = await tools.paid(unlocked);
    expect((await pay(createWalletClient({ account, transport: http(tools.chain.rpc) }))).from).toBe(payer.address);
    expect([await tools.paid(payer.address), await tools.paid(unlocked)]).toEqual([1, before]);
  });

  test("a client with an account of its wallet pays from that account, not from the first one", async () => {
    const { tools, payer, pay } = await setUp();
    await tools.rpc("anvil_impersonateAccount", payer.address);
    const account = payer.address as `0x${string}`;
    const client: WalletClient = createWalletClient({ account, transport: http(tools.chain.rpc) });
    expect((await pay(client)).from).toBe(payer.address);
    expect(await tools.paid(payer.address)).toBe(1);
  });

  test("an account, and a client with one, are estimated without a signature", async () => {
    const { tools, payer, account } = await setUp();
    const client = createWalletClient({ account: payer.address as `0x${string}`, transport: http(tools.chain.rpc) });
    for (const signer of [account, client]) {
      const { from } = await estimatePayment({ network: tools.network, token: "native", amount: 1000n, signer });
      expect(from).toBe(payer.address);
    }
  });

  test("an account that signs for another address is refused", async () => {
    const { tools, payer, account, pay } = await setUp();
    const other = await tools.payer("native");
    const impostor = { ...account, address: other.address } as Account & typeof account;
    expect((await failure(pay(impostor))).code).toBe("INVALID_SIGNATURE");
    expect([await tools.paid(payer.address), await tools.paid(other.address)]).toEqual([0, 0]);
  });

  test("an account that cannot sign is refused", async () => {
    const { payer, pay } = await setUp();
    const signer = { address: payer.address, type: "json-rpc" } as unknown as PaymentSigner;
    expect(await failure(pay(signer))).toMatchObject({ code: "INVALID_OPTION", details: { option: "signer" } });
  });
});

test("the NonceManager of ethers sends before and after payments", async () => {
  const { tools, payer, pay } = await setUp();
  const signer = new NonceManager(payer.wallet);
  const send = async () => (await signer.sendTransaction({ to: payer.address, value: 1n })).wait();
  await send();
  await pay(signer);
  await send();
  await pay(signer, "usdt");
  await send();
  expect(await tools.paid(payer.address)).toBe(2);
  expect(Number(await tools.rpc<string>("eth_getTransactionCount", payer.address, "latest"))).toBe(6);
});
