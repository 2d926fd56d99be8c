import type { PaymentNetwork } from "keeplight";
import type { Eip1193Provider } from "keeplight/react";

/** Wraps a wallet so that it switches to the chain of the payment before its first call. */
export function withChain(provider: Eip1193Provider, { chainId }: PaymentNetwork): Eip1193Provider {
  const chain = `0x${chainId.toString(16)}`;
  let switched: Promise<unknown> | undefined;
  async function switchChain(): Promise<void> {
    const current = await provider.request({ method: "eth_chainId" });
    if (Number(current) === chainId) return;
    await provider.request({ method: "wallet_switchEthereumChain", params: [{ chainId: chain }] });
  }
  return {
    ...provider,
    async request(call) {
      switched ??= switchChain();
      await switched;
      return provider.request(call);
    },
  };
}
