import { isKeeplightError } from "../../base/errors/base.ts";
import { toHex } from "../chain/eth-rpc.ts";
import type { WalletSender } from "./sender.ts";

/** What a wallet can do for an account on a chain (EIP-5792). */
export interface Capabilities {
  /** Carries out several calls in one transaction, if necessary after an upgrade that the user confirms. */
  isAtomic: boolean;
  /** Lets a paymaster pay the gas. */
  hasPaymaster: boolean;
}

/** Reads what a wallet can do on a chain: nothing, if it does not say. */
export async function readCapabilities(
  { ownRpc, address }: Pick<WalletSender, "ownRpc" | "address">,
  chainId: number,
): Promise<Capabilities> {
  const chain = toHex(chainId);
  const response = await ownRpc?.("wallet_getCapabilities", [address, [chain]]).catch(ignoreFailure);
  const { "0x0": everywhere, [chain]: here } = toRecord(response);
  const { atomic, paymasterService } = { ...toRecord(everywhere), ...toRecord(here) };
  const { status } = toRecord(atomic);
  return {
    isAtomic: status === "supported" || status === "ready",
    hasPaymaster: toRecord(paymasterService)["supported"] === true,
  };
}

function toRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function ignoreFailure(error: unknown): undefined {
  if (isKeeplightError(error, "ABORTED")) throw error;
  return undefined;
}
