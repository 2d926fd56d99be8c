import { invalidDevnetOption, isAtLeast, oneOf, required } from "./check-options.ts";
import { limitedClasses } from "./content/storage-class.ts";
import type { Devnet } from "./devnet.ts";
import type { FaultBook } from "./faults.ts";
import { NODE_COUNT } from "./key-nodes/shard-store.ts";
import type { Network } from "./network.ts";

/** What changes a running network. */
type Controls = Pick<
  Devnet,
  "faults" | "attacks" | "stopNode" | "startNode" | "setDataLimit" | "setTicker" | "setUploadPrice"
>;

export function createControls(network: Network, { add, clear }: FaultBook): Controls {
  const { attacks, limits, shardStores, stoppedNodes, tickers, till } = network;
  return {
    faults: { add, clear },
    attacks: {
      add: attacks.add,
      clear: attacks.clear,
      readShards: (cid, nodes) => nodes.flatMap((node) => shardStores[checkNode(node) - 1]?.get(cid)?.shard ?? []),
    },
    stopNode: (node) => void stoppedNodes.add(checkNode(node)),
    startNode: (node) => void stoppedNodes.delete(checkNode(node)),
    setDataLimit(storage, bytes) {
      oneOf(limitedClasses)("storage", storage);
      required(isAtLeast(0), "a number from 0 up")("bytes", bytes);
      limits[storage] = bytes;
    },
    setTicker(symbol, usd) {
      required(isAtLeast(Number.MIN_VALUE), "a number above 0")("usd", usd);
      tickers.set(symbol.toUpperCase(), usd);
    },
    setUploadPrice(usdPerMiB) {
      required((usd) => Number.isFinite(usd) && isAtLeast(0)(usd), "a number from 0 up")("usdPerMiB", usdPerMiB);
      till.usdPerMiB = usdPerMiB;
    },
  };
}

function checkNode(node: number): number {
  if (Number.isInteger(node) && node >= 1 && node <= NODE_COUNT) return node;
  throw invalidDevnetOption(`There is no key node ${node}`, { node });
}
