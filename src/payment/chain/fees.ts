import { isKeeplightError } from "../../errors/base.ts";
import type { TransactionFields } from "../wallet/signer.ts";
import { ask, quantity, record } from "./eth-rpc.ts";
import type { Rpc } from "./rpc.ts";

/** What to offer for the gas of a transaction. */
export interface Fees {
  /** The most one unit of gas may cost. */
  perGas: bigint;
  /** The same as fields of a transaction. */
  fields: Pick<TransactionFields, "type" | "gasPrice" | "maxFeePerGas" | "maxPriorityFeePerGas">;
}

/** Offered to miners where a node has no idea of its own, in the chain's smallest unit. */
const DEFAULT_TIP = 1_500_000_000n;

/** Fees by EIP-1559, with room for the base fee to double, or a legacy gas price where blocks have no base fee. */
export async function currentFees(rpc: Rpc): Promise<Fees> {
  const method = "eth_getBlockByNumber";
  const block = record(method, await rpc(method, ["latest", false]));
  const base = block?.["baseFeePerGas"];
  if (base === undefined || base === null) {
    const gasPrice = await ask(rpc, "eth_gasPrice");
    return { perGas: gasPrice, fields: { type: 0, gasPrice } };
  }
  const tip = await ask(rpc, "eth_maxPriorityFeePerGas").catch((error: unknown) => {
    if (isKeeplightError(error) && error.code === "RPC_REFUSED") return DEFAULT_TIP;
    throw error;
  });
  const perGas = 2n * quantity(method, base) + tip;
  return { perGas, fields: { type: 2, maxFeePerGas: perGas, maxPriorityFeePerGas: tip } };
}
