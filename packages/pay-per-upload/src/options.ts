import type { Eip1193ProviderLike, TypedDataSigner, ViemClient } from "keeplight";
import { type Check, invalidOption, type OptionSchema, optional, type Resolved, wholeNumber } from "keeplight/parts";

/** An account of viem, or any other object with an address that signs in viem's form. */
export interface ViemTypedDataSigner {
  /** The EVM address that it signs for. */
  address: string;
  /** `({ domain, types, primaryType, message }) => Promise<signature>`. */
  signTypedData: CallableFunction;
}

/** Who pays for an upload: needs the token, and no coins for gas. */
export type PayerLike = TypedDataSigner | ViemTypedDataSigner | ViemClient | Eip1193ProviderLike;

/** A chain on which uploads are paid for. */
export interface UploadNetwork {
  /** As in EIP-155. */
  chainId: number;
  /** Address of USDC, or of another token with EIP-3009. */
  usdc: string;
  /** URL of a JSON-RPC service of the chain. */
  rpc: string;
  /** URLs of further services, used if `rpc` fails. */
  moreRpcs?: readonly string[] | undefined;
}

/** The chains on which the public network may sell single uploads. Addresses of Circle's USDC. */
export const uploadNetworks = {
  base: {
    chainId: 8453,
    usdc: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
    rpc: "https://mainnet.base.org",
    moreRpcs: ["https://base-rpc.publicnode.com", "https://base.drpc.org"],
  },
  "base-sepolia": {
    chainId: 84_532,
    usdc: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
    rpc: "https://sepolia.base.org",
    moreRpcs: ["https://base-sepolia-rpc.publicnode.com"],
  },
} as const satisfies Readonly<Record<string, UploadNetwork>>;

/** How one upload, or its renewal, is paid for. */
export interface PayPerUploadOptions {
  /** Who pays, by a signature (EIP-712) that transfers one amount to the service, once. */
  signer: PayerLike;
  /** The most to pay, in the token's smallest unit: 1,000,000 is one US dollar. */
  maxAmount: bigint | number;
  /** The chain to pay on. A service that requests another one, or another token, gets nothing. @default `base` */
  network?: keyof typeof uploadNetworks | UploadNetwork | undefined;
  /**
   * Names what is paid for: one payer pays each order once, at one service. A call with the id of an order that was paid
   * looks for what was stored, or sends it again, and never pays. Everyone can test on the chain whether a payer has paid
   * for an order whose id is known.
   *
   * @default the content id; of an encrypted upload a hash of its key; of a renewal the file's id and its end
   */
  orderId?: string | undefined;
  /** How long to look for the payment on the chain after the service has failed, in milliseconds. @default 10,000 */
  waitMs?: number | undefined;
}

/** Returns the chain with this name, or this one. */
export function toNetwork(network: keyof typeof uploadNetworks | UploadNetwork): UploadNetwork {
  return typeof network === "string" ? uploadNetworks[network] : network;
}

/** A name of {@link uploadNetworks}, or a chain. */
export const checkNetwork: Check<keyof typeof uploadNetworks | UploadNetwork> = (network = "base", name) => {
  if (typeof network === "string" && Object.hasOwn(uploadNetworks, network)) return network as "base";
  const { chainId, usdc, rpc, moreRpcs = [] } = Object(network) as UploadNetwork;
  const isValid =
    Number.isSafeInteger(chainId) &&
    chainId > 0 &&
    typeof usdc === "string" &&
    /^0x[0-9a-f]{40}$/i.test(usdc) &&
    Array.isArray(moreRpcs) &&
    [rpc, ...moreRpcs].every((url) => typeof url === "string" && /^https?:\/\//.test(url));
  if (isValid) return { chainId, usdc, rpc, moreRpcs };
  throw invalidOption(name, `one of ${Object.keys(uploadNetworks).join(", ")}, or { chainId, usdc, rpc }`);
};

const checkSigner: Check<PayerLike> = Object.assign(
  (signer: unknown, name: string) => {
    if (typeof signer !== "object" || signer === null) throw invalidOption(name, "who pays");
    return signer as PayerLike;
  },
  { isReference: true as const },
);

/** Checks {@link PayPerUploadOptions}. */
export const payingSchema = {
  signer: checkSigner,
  maxAmount: (amount, name) => {
    const isAmount = typeof amount === "bigint" || Number.isSafeInteger(amount);
    if (isAmount && (amount as bigint | number) >= 0) return BigInt(amount as bigint | number);
    throw invalidOption(name, "a whole number of the token's smallest unit");
  },
  network: checkNetwork,
  orderId: optional((id, name) => {
    // Ill-formed strings would have the same bytes.
    if (typeof id === "string" && /^(?!\s*$)\P{Surrogate}+$/u.test(id)) return id;
    throw invalidOption(name, "a non-empty string");
  }),
  waitMs: wholeNumber(10_000),
} satisfies OptionSchema<PayPerUploadOptions>;

/** {@link PayPerUploadOptions}, checked and with their defaults. */
export interface Paying extends Omit<Resolved<typeof payingSchema>, "network"> {
  network: UploadNetwork;
}
