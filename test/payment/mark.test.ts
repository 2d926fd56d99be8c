import { createHash } from "node:crypto";
import { Interface } from "ethers";
import { expect, test } from "vitest";
import { isUnfinished } from "../../src/base/errors/unfinished.ts";
import type { PayOptions, UnfinishedPayment } from "../../src/payment/index.ts";
import { payWithToken } from "../../src/payment/pay.ts";
import { failure } from "../support/failure.ts";
import { approveDirectly, chainForTests, waitUntilMined } from "./chain-tools.ts";
import { type SmartCall, sendBundle, toSmartAccount, type WalletRequest } from "./smart-account.ts";

const chain = chainForTests();
const AMOUNT = 1000n;
const receiveToken = new Interface(["function receiveToken(uint256 amount, address token)"]);
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

async function setUp() {
  const tools = chain();
  const payer = await tools.payer();
  const pay = (options: Partial<PayOptions>) =>
    payWithToken({
      network: tools.network,
      token: "usdc",
      amount: AMOUNT,
      pollMs: 5,
      missingMs: 50,
      ...options,
    } as PayOptions);
  return { tools, payer, pay };
}

test("a marked payment has the hash of its order id in its call data, and others have not", async () => {
  const { tools, payer, pay } = await setUp();
  const { privateKey } = payer;
  const read = async (options: Partial<PayOptions>) => {
    const { hash } = await pay({ privateKey, ...options } as PayOptions);
    return (await tools.rpc<{ input: string }>("eth_getTransactionByHash", hash)).input;
  };
  const plain = await read({});
  expect(plain).toBe(receiveToken.encodeFunctionData("receiveToken", [AMOUNT, tools.network.tokens.usdc?.address]));
  expect(await read({ orderId: "unmarked", mark: false })).toBe(plain);
  expect(await read({ orderId: "marked" })).toBe(`${plain}${sha256("marked")}`);
  expect(await tools.paid(payer.address)).toBe(3);
});

test.each([{ isSmart: false }, { isSmart: true }])(
  "a lost payment is found by its mark, and no other of the same amount is taken for it (smart account: $isSmart)",
  async ({ isSmart }) => {
    const { tools, payer, pay } = await setUp();
    await tools.rpc("anvil_impersonateAccount", payer.address);
    await approveDirectly(tools, payer, "usdc", 2n * AMOUNT);
    if (isSmart) await toSmartAccount(tools, payer);
    let lost: SmartCall | undefined;
    const send = async ({ to, data }: SmartCall) => {
      const fields = { from: payer.address, to, data };
      const hash = isSmart
        ? await sendBundle(tools, payer.address, [{ to, ...(data === undefined ? {} : { data }) }])
        : await tools.rpc<string>("eth_sendTransaction", fields);
      await waitUntilMined(tools, hash);
      return hash;
    };
    const request = async ({ method, params = [] }: WalletRequest): Promise<unknown> => {
      if (method === "eth_requestAccounts") return [payer.address];
      if (method !== "eth_sendTransaction") return tools.rpc(method, ...(params as unknown[]));
      [lost] = params as [SmartCall];
      throw new Error("lost connection");
    };
    const error = await failure(pay({ signer: { request }, orderId: `lost ${isSmart}`, missingMs: 60_000 }));
    expect([error.code, isUnfinished(error)]).toEqual(["PAYMENT_UNKNOWN", true]);
    const { to = "", data = "" } = lost ?? {};
    await send({ to, data: data.slice(0, -64) });
    const waiting = failure((error as UnfinishedPayment).resume({ waitMs: 100 }));
    expect((await waiting).code).toBe("PAYMENT_TIMEOUT");
    const hash = await send({ to, data });
    expect((await (error as UnfinishedPayment).resume()).hash).toBe(hash);
  },
);

test("a mark requires an order id, and a token", async () => {
  const { payer, pay } = await setUp();
  const { privateKey } = payer;
  const tries: Partial<PayOptions>[] = [
    {},
    { orderId: "coins", token: "native" },
    { orderId: "text", mark: "yes" as never },
  ];
  for (const options of tries) {
    expect((await failure(pay({ privateKey, mark: true, ...options } as PayOptions))).code).toBe("INVALID_OPTION");
  }
});
