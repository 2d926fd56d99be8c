import type { PaymentNetwork } from "keeplight";
import type { Eip1193Provider } from "keeplight/react";

/** A wallet that, before it is first asked to send something, is asked to go to the chain of the payment. */
export function onChain(provider: Eip1193Provider, { chainId }: PaymentNetwork): Eip1193Provider {
  const chain = `0x${chainId.toString(16)}`;
  let switched: Promise<unknown> | undefined;
  async function goThere(): Promise<void> {
    const now = await provider.request({ method: "eth_chainId" });
    if (Number(now) === chainId) return;
    await provider.request({ method: "wallet_switchEthereumChain", params: [{ chainId: chain }] });
  }
  return {
    ...provider,
    async request(call) {
      switched ??= goThere();
      await switched;
      return provider.request(call);
    },
  };
}
