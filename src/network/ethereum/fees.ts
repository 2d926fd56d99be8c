import { Interface } from "ethers/abi";
import { Transaction } from "ethers/transaction";
import { allInOrder } from "../../base/async/queue.ts";
import { ignore } from "../../base/errors/base.ts";
import { wrongContract } from "../../base/errors/payment.ts";
import { callView } from "./contracts.ts";
import { requestQuantity, requestRecord } from "./eth-rpc.ts";
import { parseQuantity, type Rpc } from "./json-rpc.ts";
import type { TransactionFields } from "./wallet/signer.ts";

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
  const [block, tip = DEFAULT_TIP] = await allInOrder([
    requestRecord(rpc, method, ["latest", false]),
    requestQuantity(rpc, "eth_maxPriorityFeePerGas").catch(ignore("RPC_REFUSED")),
  ]);
  const base = block?.["baseFeePerGas"];
  if (base === undefined || base === null) {
    const gasPrice = await requestQuantity(rpc, "eth_gasPrice");
    return { perGas: gasPrice, likelyPerGas: gasPrice, fields: { type: 0, gasPrice } };
  }
  const baseFee = parseQuantity(method, base);
  const perGas = 2n * baseFee + tip;
  return { perGas, likelyPerGas: baseFee + tip, fields: { type: 2, maxFeePerGas: perGas, maxPriorityFeePerGas: tip } };
}

/** Quotes what a transaction costs on the L1 chain. */
const gasPriceOracle = new Interface(["function getL1Fee(bytes transaction) view returns (uint256)"]);

/** Address of the `GasPriceOracle` on every OP Stack chain (OP Stack specification, "Predeploys"). */
const ORACLE = "0x420000000000000000000000000000000000000F";

/**
 * Reads the L1 data fee of a transaction on an OP Stack chain, in the smallest unit of the coin; 0 on other chains. It is
 * charged from the balance in addition to the L2 gas limit. The oracle quotes it for the next block; 25 % headroom covers
 * two L1 blocks of rising base fee.
 *
 * @throws `WRONG_CONTRACT` if there is no such oracle; what {@link Rpc} throws
 */
export async function getL1Fee(
  rpc: Rpc,
  { opStack, chainId }: { opStack?: boolean | undefined; chainId: number },
  { to, data, value }: Pick<TransactionFields, "to" | "data" | "value">,
  gas: Pick<TransactionFields, "gasLimit"> & Fees["fields"],
): Promise<bigint> {
  if (!opStack) return 0n;
  // Unsigned: the oracle adds the length of a signature itself.
  const { unsignedSerialized } = Transaction.from({ nonce: 0, ...gas, chainId, to, data, value });
  const fee = await callView(rpc, gasPriceOracle, ORACLE, ["getL1Fee", unsignedSerialized]);
  if (typeof fee !== "bigint") throw wrongContract(ORACLE, "it does not quote the L1 fee");
  return (fee * 5n) / 4n;
}
