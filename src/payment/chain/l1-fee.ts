import { Transaction } from "ethers/transaction";
import { wrongContract } from "../../errors/payment.ts";
import type { TransactionFields } from "../wallet/signer.ts";
import { gasPriceOracle } from "./abi.ts";
import { callView } from "./eth-rpc.ts";
import type { Rpc } from "./rpc.ts";

/** Where every chain of the OP Stack has its oracle of gas prices (OP Stack specification, "Predeploys"). */
const ORACLE = "0x420000000000000000000000000000000000000F";

/**
 * What a transaction takes on the chain that an OP Stack chain settles on, in the smallest unit of the coin. It is taken
 * from the balance like gas, and is part of no gas limit. The oracle tells it for the next block; a quarter more leaves
 * room for two blocks of Ethereum in which gas gets dearer.
 *
 * @param fields - unsigned: the oracle adds the length of a signature itself
 * @throws `WRONG_CONTRACT` where there is no such oracle; what {@link Rpc} throws
 */
export async function getL1Fee(rpc: Rpc, fields: TransactionFields): Promise<bigint> {
  const { unsignedSerialized } = Transaction.from({ nonce: 0, ...fields });
  const fee = await callView(rpc, gasPriceOracle, ORACLE, ["getL1Fee", unsignedSerialized]);
  if (typeof fee !== "bigint") throw wrongContract(ORACLE, "it does not tell what the chain below takes");
  return (fee * 5n) / 4n;
}
