import { getEndpoints, isPage, plain, type Unchecked, withErrors } from "@keeplight/kavach/shared";
import {
  createOneTimeToken,
  type Eip1193Provider,
  getPrice as getKitPrice,
  type PaymentNetwork,
  type PaymentToken,
  payWithToken,
  type Source,
} from "keeplight";
import { createKeySigner } from "keeplight/parts";
import { toNetwork } from "./config.ts";
import { toSource } from "./upload.ts";

// What version 0.4.3 had.

/** Returns the price of storing a number of bytes or the files of an upload, in the smallest unit of the token. */
export async function getPrice(pathOrSize: Unchecked, network: string, token?: string): Promise<bigint> {
  if (!network) throw new Error("Token not provided!!!");
  const { amount } = await withErrors(plain, () =>
    getKitPrice(toSource(pathOrSize) as number | Source, {
      network: getNetwork(network.toLowerCase()),
      token: (token?.toLowerCase() ?? "native") as PaymentToken,
      endpoints: getEndpoints(),
    }),
  );
  return amount;
}

/**
 * Pays for storage: in Node with a private key, in a page with its wallet. Returns the payment, with its `hash`, once it is in a
 * block.
 */
export async function fund(amount: number, network: string, token: string, privateKey?: string): Promise<Unchecked> {
  if (!isPage() && !privateKey) throw new Error("Private Key not found!!!");
  const payer = isPage() ? { signer: getWallet() } : { privateKey: privateKey ?? "" };
  return withErrors(plain, () =>
    payWithToken({
      ...payer,
      amount,
      network: getNetwork(network),
      token: token.toLowerCase() as PaymentToken,
      confirmations: 1,
      endpoints: getEndpoints(),
    }),
  );
}

/** Creates a token for one upload: in Node with a private key, in a page with its wallet. */
export async function oneTimeAuth(privateKey?: string): Promise<string> {
  if (!isPage() && !privateKey) throw new Error("Private key not provided!!!");
  const signer = isPage() ? getWallet() : await createKeySigner(privateKey ?? "");
  return withErrors(plain, () => createOneTimeToken({ signer, endpoints: getEndpoints() }));
}

/** The chain as the configuration has it; the kit refuses one it does not have. */
function getNetwork(name: string): PaymentNetwork {
  return toNetwork(name) ?? (name as unknown as PaymentNetwork);
}

function getWallet(): Eip1193Provider {
  return (window as { ethereum?: Eip1193Provider }).ethereum as Eip1193Provider;
}
