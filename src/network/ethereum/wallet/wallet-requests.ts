import { untilAborted } from "../../../base/async/abort.ts";
import { findNetworkName, type ResolvedNetwork } from "../../../base/config/resolve-network.ts";
import { isKeeplightError } from "../../../base/errors/base.ts";
import { isRejection, type ProviderError, readProviderError, toSafeCause } from "../../../base/errors/nodes.ts";
import { paymentRejected } from "../../../base/errors/payment.ts";
import { type Call, ignoreFailure, requestQuantity, toHex } from "../eth-rpc.ts";
import type { Rpc } from "../json-rpc.ts";
import type { Sender } from "./sender.ts";

/** The wallet does not know the chain (EIP-3326, EIP-3085). */
const UNKNOWN_CHAIN = 4902;

/**
 * Requests a wallet on another chain to switch to the payment's, and to add it first if it does not know it. Whether it
 * did so is checked by the caller: many wallets cannot.
 *
 * @throws `PAYMENT_REJECTED` if the user rejects it, `ABORTED`; what {@link Rpc} throws
 */
export async function switchChain(
  { ownRpc, prompt }: Sender,
  network: ResolvedNetwork,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (!ownRpc || !prompt || (await requestQuantity(ownRpc, "eth_chainId")) === BigInt(network.chainId)) return;
  /** Returns the error, unless the user rejected. Without a time limit: the wallet's window may stay open. */
  const ask = async (method: string, parameter: object): Promise<ProviderError | undefined> => {
    try {
      await untilAborted(prompt(method, [parameter]), signal);
      return undefined;
    } catch (error) {
      if (isKeeplightError(error, "ABORTED")) throw error;
      const walletError = readProviderError(error);
      if (isRejection(walletError)) throw paymentRejected("chain", toSafeCause(walletError));
      return walletError;
    }
  };
  const chain = { chainId: toHex(network.chainId) };
  const refusal = await ask("wallet_switchEthereumChain", chain);
  if (refusal?.code !== UNKNOWN_CHAIN) return;
  // Some wallets switch when they add a chain, some do not.
  if (!(await ask("wallet_addEthereumChain", { ...chain, ...describeChain(network) }))) {
    await ask("wallet_switchEthereumChain", chain);
  }
}

/** What EIP-3085 requires of a chain. */
function describeChain(network: ResolvedNetwork): object {
  const { chainId, symbol, decimals, rpc, explorerTxUrl } = network;
  return {
    chainName: findNetworkName(network) ?? `Chain ${chainId}`,
    nativeCurrency: { name: symbol, symbol, decimals },
    rpcUrls: [rpc],
    ...(explorerTxUrl === "" ? {} : { blockExplorerUrls: [new URL(explorerTxUrl).origin] }),
  };
}

/**
 * Requests a wallet to make calls in one transaction, all or none (EIP-5792). Returns the id by which it knows them: the
 * requested one, unless the wallet chooses its ids itself.
 */
export async function sendCalls(
  prompt: Rpc,
  { from, chainId, id, calls }: { from: string; chainId: number; id: string; calls: readonly Call[] },
): Promise<string> {
  const request = {
    version: "2.0.0",
    id,
    from,
    chainId: toHex(chainId),
    atomicRequired: true,
    calls: calls.map(({ to, data, value = 0n }) => ({ to, data, value: toHex(value) })),
  };
  const response = await prompt("wallet_sendCalls", [request]);
  const named = toRecord(response)["id"] ?? response;
  return typeof named === "string" && named !== "" ? named : id;
}

type CallsState = "pending" | "confirmed" | "dropped" | "reverted" | "unknown";

/** By the hundreds of a status. `dropped`: the wallet neither made the calls nor will. */
const STATES: Readonly<Record<number, CallsState>> = { 1: "pending", 2: "confirmed", 4: "dropped", 5: "reverted" };

/**
 * Reads what a wallet reports of calls (EIP-5792): their state, `unknown` if it does not know them or did not respond, and
 * the hash of their transaction, once it is mined.
 */
export async function readCallsStatus({ ownRpc }: Sender, id: string) {
  const response = await ownRpc?.("wallet_getCallsStatus", [id]).catch(ignoreFailure);
  const { status, receipts } = toRecord(response);
  const { transactionHash } = toRecord(Array.isArray(receipts) ? receipts.at(-1) : undefined);
  const isHash = typeof transactionHash === "string" && /^0x[0-9a-fA-F]{64}$/.test(transactionHash);
  const state = STATES[Math.floor(Number(status) / 100)] ?? "unknown";
  return { state, hash: isHash ? transactionHash.toLowerCase() : undefined };
}

/**
 * Whether a wallet carries out several calls in one transaction on a chain (EIP-5792), if necessary after an upgrade that
 * the user confirms. Not if it does not say.
 */
export async function canBatch({ address, sign, ownRpc }: Sender, chainId: number): Promise<boolean> {
  if (sign) return false;
  const chain = toHex(chainId);
  const response = await ownRpc?.("wallet_getCapabilities", [address, [chain]]).catch(ignoreFailure);
  const { "0x0": everywhere, [chain]: here } = toRecord(response);
  const { atomic } = { ...toRecord(everywhere), ...toRecord(here) };
  const { status } = toRecord(atomic);
  return status === "supported" || status === "ready";
}

const toRecord = (value: unknown) => Object(value) as Record<string, unknown>;
