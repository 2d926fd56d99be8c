import { hexlify, randomBytes } from "ethers";
import { createWalletClient, custom } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { PayerOptions } from "../../src/payment/index.ts";
import type { TestChain } from "./chain-tools.ts";
import { waitUntilMined } from "./chain-tools.ts";
import type { Run } from "./fault-runs.ts";
import type { RpcProxy } from "./rpc-proxy.ts";
import { createCallsWallet, type SmartCall, sendBundle, toSmartAccount, type WalletRequest } from "./smart-account.ts";

/** Who pays. `smart account`: like a Safe; `calls`: a smart account whose wallet has the methods of EIP-5792. */
export const signerKinds = ["key", "wallet", "viem account", "viem client", "smart account", "calls"] as const;

export type SignerKind = (typeof signerKinds)[number];

export const isSmart = (kind: SignerKind): boolean => kind === "smart account" || kind === "calls";

/** Whether it signs and sends in one call. */
export const isWalletKind = (kind: SignerKind): boolean => kind === "wallet" || isSmart(kind);

export interface FaultySigner {
  options: PayerOptions;
  /** How often it failed as its fault says. */
  struck(): number;
  /** Whether the user can know that nothing is under way: then a request that failed may be given up. */
  isIdle(): Promise<boolean>;
}

/** Creates the signer of a run: of a wallet the user rejects, or it fails, if that is the fault. */
export async function createSigner(
  tools: TestChain,
  proxy: RpcProxy,
  run: Run,
  random: () => number,
): Promise<FaultySigner> {
  const { payer, signer, fault } = run;
  const toNode = (call: WalletRequest) => callNode(proxy, call);
  const delay = fault === "slow signer" ? 60 : 0;
  if (isSmart(signer)) await toSmartAccount(tools, payer);
  if (isWalletKind(signer)) return createFaultyWallet(tools, toNode, run, random, delay);
  const isIdle = async () => false;
  const struck = () => 0;
  if (signer === "key") return { options: { privateKey: payer.privateKey }, struck, isIdle };
  const account = privateKeyToAccount(payer.privateKey as `0x${string}`);
  const slow: typeof account = {
    ...account,
    signTransaction: async (...fields) => {
      await pause(delay);
      return account.signTransaction(...fields);
    },
  };
  if (signer === "viem account") return { options: { signer: slow }, struck, isIdle };
  return {
    options: { signer: createWalletClient({ account: slow, transport: custom({ request: toNode }) }) },
    struck,
    isIdle,
  };
}

/**
 * A wallet whose user rejects, or that fails: first before it sends in one round and after it sent in the next, later
 * at random.
 */
function createFaultyWallet(
  tools: TestChain,
  toNode: (call: WalletRequest) => Promise<unknown>,
  { payer, fault, round, signer }: Run,
  random: () => number,
  delay: number,
): FaultySigner {
  let rejections = fault === "user rejects" || fault === "wallet fails" ? 1 + Math.floor(random() * 3) : 0;
  let struck = 0;
  let open = 0;
  const calls = createCallsWallet(tools, payer, { atomic: "supported", calls: "at once" });

  /** Sends a request's transaction. A smart account's has a hash that the node does not know. */
  async function send(call: WalletRequest): Promise<unknown> {
    if (call.method === "wallet_sendCalls") return calls.request(call);
    if (!isSmart(signer)) return toNode(call);
    await waitUntilMined(tools, await sendBundle(tools, payer.address, call.params as SmartCall[]));
    return hexlify(randomBytes(32));
  }

  async function sendOrFail(call: WalletRequest): Promise<unknown> {
    if (!isSmart(signer)) await tools.rpc("anvil_impersonateAccount", payer.address);
    await pause(delay);
    const isFirst = struck === 0;
    const strikes = rejections > 0 && (isFirst || random() < 0.6);
    if (!strikes) return send(call);
    rejections -= 1;
    struck += 1;
    if (fault === "user rejects") throw Object.assign(new Error("User rejected the request."), { code: 4001 });
    if (isFirst ? round % 2 === 0 : random() < 0.5) throw new Error("lost connection");
    await send(call);
    throw new Error("lost connection");
  }

  async function request(call: WalletRequest): Promise<unknown> {
    if (call.method === "eth_requestAccounts") return [payer.address];
    if (/^eth_sendTransaction$|^wallet_sendCalls$/.test(call.method)) {
      open += 1;
      return sendOrFail(call).finally(() => {
        open -= 1;
      });
    }
    const isForCalls = /^wallet_get/.test(call.method) && signer === "calls";
    return isForCalls ? calls.request(call) : toNode(call);
  }

  async function isIdle(): Promise<boolean> {
    const count = (tag: string) => tools.rpc<string>("eth_getTransactionCount", payer.address, tag);
    return (
      open === 0 && (await count("pending")) === (await count("latest")) && (await tools.paid(payer.address)) === 0
    );
  }

  return { options: { signer: { request } }, struck: () => struck, isIdle };
}

async function callNode(proxy: RpcProxy, { method, params = [] }: WalletRequest): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const headers = { "content-type": "application/json" };
  const envelope = await (await fetch(proxy.url, { method: "POST", body, headers })).json();
  const { result, error } = envelope as { result: unknown; error?: { code: number; message: string; data?: string } };
  if (error) throw Object.assign(new Error(error.message), error);
  return result;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
