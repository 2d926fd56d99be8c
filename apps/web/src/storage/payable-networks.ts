import { type NetworkName, networks, type PaymentNetwork } from "keeplight";
import { getMessages } from "../messages/language.ts";
import type { AppNetwork } from "../network.ts";

/** Lists the chains to pay on. A devnet has its own one, or none. */
export function listPayableNetworks({
  devnet,
}: AppNetwork): { value: string; label: string; network: PaymentNetwork }[] {
  if (devnet) return devnet.network ? [{ value: "own", label: getMessages().pay.devnet, network: devnet.network }] : [];
  const names: readonly NetworkName[] = ["polygon", "optimism", "binance", "fantom", "filecoin", "calibration"];
  return names.map((value) => ({
    value,
    label: `${value.charAt(0).toUpperCase()}${value.slice(1)}`,
    network: networks[value],
  }));
}
