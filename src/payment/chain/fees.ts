import { Transaction } from "ethers/transaction";
import { allInOrder } from "../../base/async/queue.ts";
import { isKeeplightError } from "../../base/errors/base.ts";
import { wrongContract } from "../../base/errors/payment.ts";
import { parseQuantity, type Rpc } from "../../network/ethereum/json-rpc.ts";
import type { TransactionFields } from "../wallet/signer.ts";
import { gasPriceOracle } from "./contracts.ts";
import { callView, requestQuantity, toRecord } from "./eth-rpc.ts";

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

/** Address of the `GasPriceOracle` on every OP Stack chain (OP Stack specification, "Predeploys"). */
const ORACLE = "0x420000000000000000000000000000000000000F";

/**
 * Reads the L1 data fee of a transaction on an OP Stack chain, in the smallest unit of the coin. It is charged from the
 * balance in addition to the L2 gas limit. The oracle quotes it for the next block; 25 % headroom covers two L1 blocks
 * of rising base fee.
 *
 * @param fields - unsigned: the oracle adds the length of a signature itself
 * @throws `WRONG_CONTRACT` if there is no such oracle; what {@link Rpc} throws
 */
export async function getL1Fee(rpc: Rpc, fields: TransactionFields): Promise<bigint> {
  const { unsignedSerialized } = Transaction.from({ nonce: 0, ...fields });
  const fee = await callView(rpc, gasPriceOracle, ORACLE, ["getL1Fee", unsignedSerialized]);
  if (typeof fee !== "bigint") throw wrongContract(ORACLE, "it does not quote the L1 fee");
  return (fee * 5n) / 4n;
}

const COIN = 10n ** 18n;

/**
 * Default limit on the fees of all transactions of a payment, by chain id, in the smallest unit of the chain's coin:
 * several times the highest cost observed, but never a large sum.
 */
const DEFAULT_MAX_FEES: Readonly<Record<number, bigint>> = {
  // Fantom, its testnet
  250: 10n * COIN,
  4002: 10n * COIN,
  // Polygon, its testnet
  137: 10n * COIN,
  80001: 10n * COIN,
  // BNB Smart Chain, its testnet
  56: COIN / 20n,
  97: COIN / 20n,
  // Optimism, its testnet
  10: COIN / 100n,
  69: COIN / 100n,
  // Filecoin; coins of its testnets are worth nothing
  314: 5n * COIN,
  314159: 50n * COIN,
  31415: 50n * COIN,
};

/** For all other chains. */
const OTHER_MAX_FEE = COIN / 10n;

/** The default of `maxFee` on a chain. */
export function defaultMaxFee(chainId: number): bigint {
  return DEFAULT_MAX_FEES[chainId] ?? OTHER_MAX_FEE;
}
