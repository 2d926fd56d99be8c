import { isEip1193 } from "../../ethereum/eip-1193.ts";
import type { TransactionFields, ViemAccount } from "./signer.ts";

export function isViemAccount(value: unknown): value is ViemAccount {
  if (typeof value !== "object" || value === null || "getAddress" in value) return false;
  const { address, signTransaction } = value as Partial<ViemAccount>;
  return typeof address === "string" && typeof signTransaction === "function";
}

/** Returns the account of a `WalletClient` of viem, which may only name it: then the wallet signs. */
export function getViemAccount(value: unknown): { address: string } | undefined {
  if (!isEip1193(value) || !("account" in value)) return undefined;
  const { account } = value;
  const isAccount = typeof account === "object" && account !== null && "address" in account;
  return isAccount && typeof account.address === "string" ? (account as { address: string }) : undefined;
}

/** Signs with an account of viem. */
export function signWithViem(account: ViemAccount, fields: TransactionFields): Promise<string> {
  const { chainId, to, data, value, nonce = 0, gasLimit = 0n, type, gasPrice = 0n } = fields;
  const { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = fields;
  const common = { chainId, to: to as `0x${string}`, data: data as `0x${string}`, value, nonce, gas: gasLimit };
  return account.signTransaction(
    type === 0
      ? { ...common, type: "legacy", gasPrice }
      : { ...common, type: "eip1559", maxFeePerGas, maxPriorityFeePerGas },
  );
}
