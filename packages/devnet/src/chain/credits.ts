import { Interface, zeroPadValue } from "ethers";
import type { PaymentNetwork } from "keeplight";
import { paymentContractArtifact } from "./contracts.ts";
import type { ChainNode } from "./node.ts";

/** Bytes of storage per US dollar. */
const BYTES_PER_USD = 2n ** 28n;

/** Steps per US dollar in the price of the native coin. */
const PRICE_STEPS = 1_000_000;

const contract = new Interface(paymentContractArtifact.abi);

/**
 * Computes the bytes of storage that an address has paid for from the payment contract's events. The price of a size is
 * rounded to a whole unit of the token; a payment buys the largest size with that price.
 *
 * @param address - EVM address
 * @param usdPerCoin - of the native coin
 */
export async function computePaidBytes(
  node: ChainNode,
  network: PaymentNetwork,
  address: string,
  usdPerCoin: number,
): Promise<number> {
  const topics = [contract.getEvent("ReceivedPayment")?.topicHash, zeroPadValue(address, 32)];
  const logs = await node.call("eth_getLogs", [{ address: network.contract, topics, fromBlock: "0x0" }]);
  const tokens = Object.values(network.tokens);
  let bytes = 0n;
  for (const log of logs as { topics: string[]; data: string }[]) {
    const [, tokenAddress, , amount] = contract.parseLog(log)?.args ?? [];
    const token = tokens.find((known) => known.address.toLowerCase() === String(tokenAddress).toLowerCase());
    const isCoin = /^0x0+$/.test(String(tokenAddress));
    if (token) bytes += toBytes(BigInt(amount), token.decimals, 1n, 1n);
    if (isCoin)
      bytes += toBytes(
        BigInt(amount),
        network.decimals,
        BigInt(Math.round(usdPerCoin * PRICE_STEPS)),
        BigInt(PRICE_STEPS),
      );
  }
  return Number(bytes);
}

/** Computes the bytes that `amount` units buy at `usd / per` dollars per whole coin. */
function toBytes(amount: bigint, decimals: number, usd: bigint, per: bigint): bigint {
  return ((2n * amount + 1n) * BYTES_PER_USD * usd) / (2n * per * 10n ** BigInt(decimals));
}
