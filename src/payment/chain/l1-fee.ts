import { Transaction } from "ethers/transaction";
import { wrongContract } from "../../base/errors/payment.ts";
import type { Rpc } from "../../network/ethereum/json-rpc.ts";
import type { TransactionFields } from "../wallet/signer.ts";
import { gasPriceOracle } from "./abi.ts";
import { callView } from "./eth-rpc.ts";

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
