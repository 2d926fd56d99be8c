import { Transaction } from "ethers/transaction";
import { allInOrder } from "../../base/async/queue.ts";
import { ignore } from "../../base/errors/base.ts";
import { wrongContract } from "../../base/errors/payment.ts";
import { requestQuantity, requestRecord } from "../../network/ethereum/eth-rpc.ts";
import { parseQuantity, type Rpc } from "../../network/ethereum/json-rpc.ts";
import type { TransactionFields } from "../wallet/signer.ts";
import { callView, gasPriceOracle } from "./contracts.ts";
import type { ResolvedNetwork } from "./network.ts";

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
  { opStack, chainId }: ResolvedNetwork,
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

const COIN = 10n ** 18n;

/**
 * Default limits on the fees of all transactions of a payment, in the smallest unit of the chain's coin, and the ids of
 * their chains: several times the highest cost observed, but never a large sum.
 */
const DEFAULT_MAX_FEES: readonly (readonly [maxFee: bigint, chainIds: readonly number[]])[] = [
  // Fantom and Polygon, with their testnets
  [10n * COIN, [250, 4002, 137, 80001]],
  // BNB Smart Chain
  [COIN / 20n, [56, 97]],
  // Optimism
  [COIN / 100n, [10, 69]],
  // Filecoin; coins of its testnets are worth nothing
  [5n * COIN, [314]],
  [50n * COIN, [314159, 31415]],
];

/** For all other chains. */
const OTHER_MAX_FEE = COIN / 10n;

export function defaultMaxFee(chainId: number): bigint {
  return DEFAULT_MAX_FEES.find(([, chainIds]) => chainIds.includes(chainId))?.[0] ?? OTHER_MAX_FEE;
}
