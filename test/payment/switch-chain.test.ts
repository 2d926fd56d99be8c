import { expect, test } from "vitest";
import type { PayOptions } from "../../src/payment/index.ts";
import { payWithToken } from "../../src/payment/pay.ts";
import { failure } from "../support/failure.ts";
import { chainForTests } from "./chain-tools.ts";
import type { WalletRequest } from "./smart-account.ts";

const chain = chainForTests();
const OTHER_CHAIN = "0x1";

interface Behaviour {
  /** Whether the wallet knows the payment's chain. */
  isKnown?: boolean;
  /** Whether it switches to a chain that it adds. */
  switchesOnAdd?: boolean;
  /** Of the error that refuses to switch. */
  refusal?: number;
}

/** A wallet on another chain. */
async function setUp({ isKnown = true, switchesOnAdd = false, refusal }: Behaviour) {
  const tools = chain();
  const payer = await tools.payer("native");
  await tools.rpc("anvil_impersonateAccount", payer.address);
  let current = OTHER_CHAIN;
  let knows = isKnown;
  const requests: WalletRequest[] = [];
  const fail = (code: number) => Promise.reject(Object.assign(new Error("refused"), { code }));
  const request = async ({ method, params = [] }: WalletRequest): Promise<unknown> => {
    const [parameter] = params as [{ chainId: string }];
    if (/^wallet_|send/.test(method)) requests.push({ method, params });
    if (method === "eth_requestAccounts") return [payer.address];
    if (method === "eth_chainId") return current;
    if (method === "wallet_addEthereumChain") {
      knows = true;
      if (switchesOnAdd) current = parameter.chainId;
      return null;
    }
    if (method !== "wallet_switchEthereumChain") return tools.rpc(method, ...(params as unknown[]));
    if (refusal !== undefined) return fail(refusal);
    if (!knows) return fail(4902);
    current = parameter.chainId;
    return null;
  };
  const network = { ...tools.network, rpc: "https://rpc.example", scan: "https://explorer.example/tx/" };
  const pay = (options: Partial<PayOptions> = {}) =>
    payWithToken({ network, token: "native", amount: 1000n, signer: { request }, pollMs: 5, ...options } as PayOptions);
  const methods = () => requests.map(({ method }) => method);
  return { tools, payer, pay, requests, methods };
}

const SWITCH = "wallet_switchEthereumChain";
const ADD = "wallet_addEthereumChain";
const SEND = "eth_sendTransaction";

test("a wallet on another chain is requested to switch, and pays", async () => {
  const { tools, payer, pay, methods } = await setUp({});
  await pay();
  expect(methods()).toEqual([SWITCH, SEND]);
  await pay();
  expect(methods()).toEqual([SWITCH, SEND, SEND]);
  expect(await tools.paid(payer.address)).toBe(2);
});

test.each([{ switchesOnAdd: true }, { switchesOnAdd: false }])(
  "a chain that it does not know is added first (it switches then: $switchesOnAdd)",
  async ({ switchesOnAdd }) => {
    const { tools, payer, pay, requests, methods } = await setUp({ isKnown: false, switchesOnAdd });
    await pay();
    expect(methods()).toEqual([SWITCH, ADD, SWITCH, SEND]);
    expect(requests[1]?.params).toEqual([
      {
        chainId: "0x7a69",
        chainName: "Chain 31337",
        nativeCurrency: { name: tools.network.symbol, symbol: tools.network.symbol, decimals: 18 },
        rpcUrls: ["https://rpc.example"],
        blockExplorerUrls: ["https://explorer.example"],
      },
    ]);
    expect(await tools.paid(payer.address)).toBe(1);
  },
);

test("a user who rejects that has paid nothing, and can be asked again", async () => {
  const { pay, methods } = await setUp({ refusal: 4001 });
  const error = await failure(pay());
  expect([error.code, error.details["step"]]).toEqual(["PAYMENT_REJECTED", "chain"]);
  expect(methods()).toEqual([SWITCH]);
});

test("a wallet that cannot switch is on the wrong chain", async () => {
  const { pay, methods } = await setUp({ refusal: -32_601 });
  expect((await failure(pay())).code).toBe("WRONG_CHAIN");
  expect(methods()).toEqual([SWITCH]);
});

test("with switchChain: false it is not requested to", async () => {
  const { pay, methods } = await setUp({});
  expect((await failure(pay({ switchChain: false }))).code).toBe("WRONG_CHAIN");
  expect(methods()).toEqual([]);
  expect((await failure(pay({ switchChain: "no" } as object))).code).toBe("INVALID_OPTION");
});
