import { Contract, type EventLog, JsonRpcProvider, Wallet, ZeroAddress } from "ethers";
import { expect, inject, onTestFinished, test } from "vitest";
import {
  type DiscoveredWallet,
  discoverWallets,
  getPrice,
  isKeeplightError,
  type KeeplightError,
  type PaymentToken,
  payWithToken,
  UnfinishedError,
  type UnfinishedPayment,
} from "../../src/index.ts";

const { endpoints, accounts, network } = inject("devnet");
// The chain stands still between payments: without blocks, silence after a rejection takes a time.
const quick = { pollMs: 20, missingMs: 200 };
const AMOUNT = 1_234n;

interface Call {
  method: string;
  params?: unknown;
}

/** A wallet in this page, whose decisions a test controls. */
interface PageWallet {
  /** Of its account. */
  address: string;
  /** The methods it was called with, in order. */
  calls: string[];
  /** Decides about a transaction; throws to reject it. */
  approve(nth: number): void;
}

const createError = (code: number, message: string) => Object.assign(new Error(message), { code });

/** Announces a wallet to the page (EIP-6963) until the test ends. It starts on the chain `chainId`. */
async function injectWallet(chainId: number): Promise<PageWallet & { found: DiscoveredWallet }> {
  const provider = new JsonRpcProvider(network.rpc, network.chain_id, { staticNetwork: true, cacheTimeout: -1 });
  const account = new Wallet(accounts[0]?.privateKey ?? "", provider);
  const wallet: PageWallet = { address: account.address.toLowerCase(), calls: [], approve: () => undefined };
  const known = new Set([1]);
  let current = chainId;
  let sent = 0;
  async function request({ method, params }: Call): Promise<unknown> {
    wallet.calls.push(method);
    const [first] = (params ?? []) as [Record<string, string>?];
    switch (method) {
      case "eth_requestAccounts":
        return [account.address];
      case "eth_chainId":
        return `0x${current.toString(16)}`;
      case "wallet_addEthereumChain":
        known.add(Number(first?.["chainId"]));
        return null;
      case "wallet_switchEthereumChain":
        if (!known.has(Number(first?.["chainId"]))) throw createError(4902, "Unrecognized chain ID");
        current = Number(first?.["chainId"]);
        return null;
      case "eth_sendTransaction": {
        wallet.approve(sent++);
        const { from: _, ...fields } = first ?? {};
        return (await account.sendTransaction(fields)).hash;
      }
      default:
        return provider.send(method, params as unknown[]);
    }
  }
  const info = { uuid: crypto.randomUUID(), name: "Harbour", icon: "data:image/svg+xml,", rdns: "test.harbour" };
  const announce = () =>
    window.dispatchEvent(
      new CustomEvent("eip6963:announceProvider", { detail: Object.freeze({ info, provider: { request } }) }),
    );
  window.addEventListener("eip6963:requestProvider", announce);
  onTestFinished(() => {
    window.removeEventListener("eip6963:requestProvider", announce);
    provider.destroy();
  });
  const [found] = await discoverWallets();
  if (!found) throw new Error("the page found no wallet");
  expect(found).toMatchObject(info);
  return Object.assign(wallet, { found });
}

const received =
  "event ReceivedPayment(address indexed sender, address indexed tokenAddress, uint256 txId, uint256 amount, uint256 timestamp, bytes data)";

/** What the payment contract has received of an account, read from the chain: other files' accounts pay meanwhile. */
async function getPaid(token: PaymentToken, at = 0): Promise<bigint> {
  const provider = new JsonRpcProvider(network.rpc, network.chain_id, { staticNetwork: true, cacheTimeout: -1 });
  try {
    const contract = new Contract(network.contract, [received], provider);
    const { address } = new Wallet(accounts[at]?.privateKey ?? "");
    const filter = contract.filters["ReceivedPayment"]?.(
      address,
      network.tokens[token as "usdc"]?.address ?? ZeroAddress,
    );
    const events = await contract.queryFilter(filter ?? "ReceivedPayment", 0);
    return events.reduce((sum, event) => sum + BigInt((event as EventLog).args["amount"]), 0n);
  } finally {
    provider.destroy();
  }
}

async function getFailure(call: Promise<unknown>): Promise<KeeplightError> {
  const error: unknown = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!isKeeplightError(error)) throw error ?? new Error("it did not fail");
  return error;
}

test.each<PaymentToken>(["usdc", "usdt", "dai", "native"])("an injected wallet pays in %s", async (token) => {
  const wallet = await injectWallet(network.chain_id);
  const before = await getPaid(token);
  const signer = wallet.found.provider;
  const payment = await payWithToken({ network, token, amount: AMOUNT, signer, ...quick });
  expect(await getPaid(token)).toBe(before + AMOUNT);
  expect(payment).toMatchObject({ from: wallet.address, event: { sender: wallet.address, amount: AMOUNT } });
  const sends = wallet.calls.filter((method) => method === "eth_sendTransaction");
  expect(sends).toHaveLength(token === "native" ? 1 : 2);
});

test("a page pays the price of a size with a private key, through the node's URL", async () => {
  const { amount } = await getPrice(3_000_000, { network, endpoints });
  const before = await getPaid("native", 1);
  const { privateKey = "" } = accounts[1] ?? {};
  const payment = await payWithToken({ network, token: "native", size: 3_000_000, privateKey, endpoints, ...quick });
  expect(payment.amount).toBe(amount);
  expect(await getPaid("native", 1)).toBe(before + amount);
});

test("a rejected approval leaves nothing to resume; a rejected payment can be resumed", async () => {
  const wallet = await injectWallet(network.chain_id);
  const before = await getPaid("usdc");
  const pay = () => payWithToken({ network, token: "usdc", amount: AMOUNT, signer: wallet.found.provider, ...quick });
  const rejectTransaction = (step: number) => (nth: number) => {
    if (nth === step) throw createError(4001, "User rejected the request.");
  };
  wallet.approve = rejectTransaction(0);
  const first = await getFailure(pay());
  expect([first.code, first.details["step"], first instanceof UnfinishedError]).toEqual([
    "PAYMENT_REJECTED",
    "approve",
    false,
  ]);
  wallet.approve = rejectTransaction(2);
  const second = await getFailure(pay());
  expect([second.code, second.details["step"], second instanceof UnfinishedError]).toEqual([
    "PAYMENT_REJECTED",
    "pay",
    true,
  ]);
  expect(await getPaid("usdc")).toBe(before);
  const payment = await (second as UnfinishedPayment).resume();
  expect(payment.transactions.map(({ step }) => step)).toEqual(["approve", "pay"]);
  expect(await getPaid("usdc")).toBe(before + AMOUNT);
});

test("a wallet on another chain is switched to the network's, which it may have to add, and pays", async () => {
  const wallet = await injectWallet(1);
  const { provider } = wallet.found;
  const options = { network, token: "native", amount: AMOUNT, signer: provider, ...quick } as const;
  const before = await getPaid("native");
  expect(await getFailure(payWithToken({ ...options, switchChain: false }))).toMatchObject({
    code: "WRONG_CHAIN",
    details: { expected: network.chain_id, got: "1" },
  });
  expect(wallet.calls).not.toContain("eth_sendTransaction");
  await payWithToken(options);
  expect(wallet.calls).toContain("wallet_addEthereumChain");
  expect(await getPaid("native")).toBe(before + AMOUNT);
});
