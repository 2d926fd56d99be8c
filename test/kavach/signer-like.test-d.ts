import { JsonRpcSigner, NonceManager, Wallet } from "ethers";
import type { Client, EIP1193Provider, LocalAccount, Transport, WalletClient } from "viem";
import type { SmartAccount } from "viem/account-abstraction";
import type { JsonRpcAccount } from "viem/accounts";
import type { UseWallet } from "../../packages/react/src/index.ts";
import { createApiKey, createKit, type PayOptions, type SignerLike } from "../../src/index.ts";

// Compiled by `npm run typecheck`, never run.

declare const local: LocalAccount;
declare const smart: SmartAccount;
declare const jsonRpc: JsonRpcAccount;
declare const walletClient: WalletClient;
declare const connectorClient: Client<Transport, undefined, JsonRpcAccount>;
declare const viemProvider: EIP1193Provider;
declare const address: string;

export const signers: SignerLike[] = [
  Wallet.createRandom(),
  new NonceManager(Wallet.createRandom()),
  new JsonRpcSigner(null as never, address),
  local,
  smart,
  walletClient,
  connectorClient,
  viemProvider,
];

export const payer: PayOptions["signer"] = viemProvider;
export const wallet: Parameters<UseWallet["connect"]>[0] = { id: "x", name: "X", provider: viemProvider };

/** Parameters of adapters that are written in place have their types. */
export async function infersParameters(): Promise<void> {
  await createApiKey({
    signer: { getAddress: () => address, signMessage: (message) => local.signMessage({ message }) },
  });
  createKit({ signer: { getAddress: () => address, signMessage: async (message) => message.trim() } });
}

export async function refusesAnAccountThatCannotSign(): Promise<void> {
  // @ts-expect-error: its WalletClient can
  await createApiKey({ signer: jsonRpc });
}
