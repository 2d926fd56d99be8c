import { allInOrder } from "../../base/async/all-in-order.ts";
import { isKeeplightError } from "../../base/errors/base.ts";
import type { Rpc } from "../../network/ethereum/json-rpc.ts";
import { parseQuantity } from "../../network/ethereum/quantity.ts";
import type { TransactionFields } from "../wallet/signer.ts";
import { requestQuantity, toRecord } from "./eth-rpc.ts";

/** Fees to offer for the gas of a transaction. */
export interface Fees {
  /** The most that one unit of gas may cost. */
  perGas: bigint;
  /** What it costs in the next block. */
  likelyPerGas: bigint;
  /** The same, as fields of a transaction. */
  fields: Pick<TransactionFields, "type" | "gasPrice" | "maxFeePerGas" | "maxPriorityFeePerGas">;
}

/** Priority fee if the node suggests none, in the chain's smallest unit. */
const DEFAULT_TIP = 1_500_000_000n;

/** Estimates EIP-1559 fees with room for the base fee to double, or a legacy gas price if blocks have no base fee. */
export async function estimateFees(rpc: Rpc): Promise<Fees> {
  const method = "eth_getBlockByNumber";
  const [response, tip] = await allInOrder([rpc(method, ["latest", false]), requestTip(rpc)]);
  const base = toRecord(method, response)?.["baseFeePerGas"];
  if (base === undefined || base === null) {
    const gasPrice = await requestQuantity(rpc, "eth_gasPrice");
    return { perGas: gasPrice, likelyPerGas: gasPrice, fields: { type: 0, gasPrice } };
  }
  const baseFee = parseQuantity(method, base);
  const perGas = 2n * baseFee + tip;
  return { perGas, likelyPerGas: baseFee + tip, fields: { type: 2, maxFeePerGas: perGas, maxPriorityFeePerGas: tip } };
}

async function requestTip(rpc: Rpc): Promise<bigint> {
  try {
    return await requestQuantity(rpc, "eth_maxPriorityFeePerGas");
  } catch (error) {
    if (isKeeplightError(error, "RPC_REFUSED")) return DEFAULT_TIP;
    throw error;
  }
}
