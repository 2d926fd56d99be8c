import type { Eip1193Provider, Eip1193ProviderLike } from "keeplight";
import { requestOnce } from "keeplight/parts";
import { unknownWalletChain } from "./errors.ts";

/** A wallet that one can connect to. */
export interface WalletChoice {
  /** The same for the same wallet each time: its reverse domain name where it has one. */
  id: string;
  /** For people. */
  name: string;
  /** Data URL of an image, where there is one. */
  icon?: string;
  /** What the kit talks to. */
  provider: Eip1193Provider;
}

/** A wallet whose provider may be of the type of any library. */
export type ConnectableWallet = Omit<WalletChoice, "provider"> & {
  /** What the kit talks to. */
  provider: Eip1193ProviderLike;
};

/** Returns the first account that a wallet lets the page use. With `prompt` the wallet prompts its user. */
export async function getAccount(provider: Eip1193Provider, prompt: boolean): Promise<string | undefined> {
  const accounts = await requestOnce(provider, prompt ? "eth_requestAccounts" : "eth_accounts");
  return firstAccount(accounts);
}

/** The first of a wallet's accounts, if the response has any. */
export function firstAccount(accounts: unknown): string | undefined {
  const first: unknown = Array.isArray(accounts) ? accounts[0] : undefined;
  return typeof first === "string" && first !== "" ? first : undefined;
}

/** Returns the number of a wallet's chain; throws `INVALID_RESPONSE` if the wallet does not return one. */
export async function chainIdOf(provider: Eip1193Provider): Promise<number> {
  return readChainId(await requestOnce(provider, "eth_chainId"));
}

/** Parses a chain id in the formats of wallets (hex, sometimes a number); throws `INVALID_RESPONSE`. */
export function readChainId(value: unknown): number {
  const chainId = typeof value === "string" || typeof value === "number" ? Number(value) : Number.NaN;
  if (!Number.isSafeInteger(chainId)) throw unknownWalletChain();
  return chainId;
}
