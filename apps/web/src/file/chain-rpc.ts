import { networks } from "keeplight";
import { type AppNetwork, ETHEREUM_RPC } from "../network.ts";
import { chains } from "./condition-draft.ts";

/** Returns the RPC URL of each chain in the form. On a devnet, all of them are its own chain, if it has one. */
export function getChainRpcs({ devnet }: AppNetwork): Record<string, string> {
  if (devnet) {
    const own = devnet.network?.rpc;
    return own === undefined ? {} : Object.fromEntries(chains.map((chain) => [chain, own]));
  }
  const { polygon, optimism, binance, filecoin, calibration } = networks;
  return {
    Ethereum: ETHEREUM_RPC,
    Base: "https://mainnet.base.org",
    Base_Testnet: "https://sepolia.base.org",
    AVAX: "https://api.avax.network/ext/bc/C/rpc",
    Polygon: polygon.rpc,
    Optimism: optimism.rpc,
    BSC: binance.rpc,
    Filecoin: filecoin.rpc,
    Calibration: calibration.rpc,
  };
}
