import type { TransactionFields, ViemAccount } from "./signer.ts";

export function isViemAccount(value: unknown): value is ViemAccount {
  if (typeof value !== "object" || value === null || "getAddress" in value) return false;
  const { address, signTransaction } = value as Partial<ViemAccount>;
  return typeof address === "string" && typeof signTransaction === "function";
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
