import { invalidOption } from "../errors/input.ts";
import { shared } from "../shared.ts";
import { toHex } from "../streams/bytes.ts";
import {
  type Eip1193Provider,
  getViemAccount,
  isEip1193,
  requestOnce,
  type Signer,
  type SignerLike,
  type ViemSigner,
} from "./signer.ts";

/** Adapters by what they adapt, and by address: a sign-in is remembered by the identity of its signer. */
const adapters = shared("signer adapters", () => new WeakMap<object, Record<string, Signer>>());

/** Adapts an account or client of viem, or a wallet's provider; see `resolveSigner`. */
export async function adaptSigner(value: SignerLike): Promise<Signer> {
  const account = isAccount(value) ? value : getViemAccount(value);
  if (isAccount(account)) {
    const { address } = account;
    return remember(value, address, (message) => account.signMessage({ message }));
  }
  if (!isEip1193(value)) {
    throw invalidOption("signer", "a signer of ethers, an account or WalletClient of viem, or an EIP-1193 provider");
  }
  const address = account?.address ?? (await listAccounts(value, "eth_accounts"))[0] ?? (await listAccounts(value))[0];
  if (address === undefined) throw new Error("The wallet shares no account with this page");
  return remember(value, address, (message) => signByProvider(value, address, message));
}

/**
 * Signs by `personal_sign` (ERC-191). Does not prompt for an account that the wallet no longer shares, instead of
 * obtaining the signature of another one.
 */
export async function signByProvider(provider: Eip1193Provider, address: string, message: string): Promise<string> {
  const accounts = await listAccounts(provider, "eth_accounts");
  if (!accounts.some((account) => account.toLowerCase() === address.toLowerCase())) {
    throw new Error(`The wallet does not share the account ${address}`);
  }
  const bytes = new TextEncoder().encode(message);
  // What is not a string is refused where it is used.
  return (await requestOnce(provider, "personal_sign", [`0x${toHex(bytes)}`, address])) as string;
}

function isAccount(value: unknown): value is ViemSigner {
  const { address, signMessage } = Object(value) as Record<string, unknown>;
  return typeof address === "string" && typeof signMessage === "function" && !isEip1193(value);
}

async function listAccounts(provider: Eip1193Provider, method = "eth_requestAccounts"): Promise<string[]> {
  const accounts = await requestOnce(provider, method);
  return Array.isArray(accounts) ? accounts.map(String) : [];
}

function remember(value: object, address: string, signMessage: Signer["signMessage"]): Signer {
  const known = adapters.get(value) ?? {};
  adapters.set(value, known);
  known[address] ??= { getAddress: () => address, signMessage };
  return known[address];
}
