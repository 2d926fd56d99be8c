import { isKeeplightError } from "../../base/errors/base.ts";
import { type Call, toHex } from "../chain/eth-rpc.ts";
import type { Prompt, WalletSender } from "./sender.ts";

/** What a wallet reports of calls that it was requested to make in one transaction. */
export interface CallsStatus {
  /** `dropped`: the wallet neither made them nor will; `unknown`: it does not know them, or did not respond. */
  state: "pending" | "confirmed" | "dropped" | "reverted" | "unknown";
  /** Hash of the transaction, once it is mined. */
  hash?: string | undefined;
}

/**
 * Requests a wallet to make calls in one transaction, all or none (EIP-5792). Returns the id by which it knows them: the
 * requested one, unless the wallet chooses its ids itself.
 */
export async function sendCalls(
  prompt: Prompt,
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
  const named: unknown = typeof response === "object" && response !== null && "id" in response ? response.id : response;
  return typeof named === "string" && named !== "" ? named : id;
}

/** Reads what a wallet reports of calls (EIP-5792). */
export async function readCallsStatus({ ownRpc }: Pick<WalletSender, "ownRpc">, id: string): Promise<CallsStatus> {
  const response = await ownRpc?.("wallet_getCallsStatus", [id]).catch((error: unknown) => {
    if (isKeeplightError(error, "ABORTED")) throw error;
    return undefined;
  });
  const { status, receipts } = Object(response) as { status?: unknown; receipts?: unknown };
  const last: unknown = Array.isArray(receipts) ? receipts.at(-1) : undefined;
  const { transactionHash } = Object(last) as { transactionHash?: unknown };
  const isHash = typeof transactionHash === "string" && /^0x[0-9a-fA-F]{64}$/.test(transactionHash);
  return { state: toState(Number(status)), hash: isHash ? transactionHash.toLowerCase() : undefined };
}

function toState(status: number): CallsStatus["state"] {
  if (status >= 100 && status < 200) return "pending";
  if (status >= 200 && status < 300) return "confirmed";
  if (status >= 400 && status < 500) return "dropped";
  if (status >= 500 && status < 600) return "reverted";
  return "unknown";
}
