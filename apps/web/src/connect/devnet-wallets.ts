import type { Eip1193Provider, WalletChoice } from "@keeplight/react";
import type { AppNetwork } from "../network.ts";

/** The devnet's accounts as wallets. Their keys stay on the app's server, which signs. */
export function listDevnetWallets({ devnet }: AppNetwork): { choice: WalletChoice; address: string }[] {
  return (devnet?.accounts ?? []).map(({ name, address }) => ({
    address,
    choice: { id: `devnet ${name}`, name, provider: createProvider(address) },
  }));
}

function createProvider(address: string): Eip1193Provider {
  return {
    async request({ method, params = [] }) {
      const response = await fetch("/devnet-wallet", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ address, method, params }),
      });
      const { result, error } = (await response.json()) as {
        result?: unknown;
        error?: { message: string; code: number };
      };
      if (error) throw Object.assign(new Error(error.message), { code: error.code });
      return result;
    },
  };
}
