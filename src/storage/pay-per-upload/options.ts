import { invalidOption, unknownOption } from "../../base/errors/input.ts";
import { isOptions } from "../../base/operation.ts";
import type { Eip1193ProviderLike, ViemClient } from "../../base/validation/signer.ts";
import type { TypedDataSigner } from "../../journal/slots/slot.ts";

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

/** {@link PayPerUploadOptions}, checked and with their defaults. */
export interface Paying {
  signer: PayerLike;
  maxAmount: bigint;
  network: UploadNetwork;
  orderId: string | undefined;
  waitMs: number;
}

const NAMES: readonly (keyof PayPerUploadOptions)[] = ["signer", "maxAmount", "network", "orderId", "waitMs"];
const DEFAULT_WAIT_MS = 10_000;

/** @throws `INVALID_OPTION` */
export function checkPaying(options: unknown, group = "payPerUpload."): Paying {
  const refuse = (name: string, expected: string) => invalidOption(`${group}${name}`, expected);
  if (!isOptions(options)) throw invalidOption("payPerUpload", "an object { signer, maxAmount }");
  const unknown = Object.keys(options).find((name) => !NAMES.includes(name as never));
  if (unknown !== undefined) throw unknownOption(unknown, NAMES, group);
  const { signer, maxAmount, network = "base", orderId, waitMs = DEFAULT_WAIT_MS } = options as PayPerUploadOptions;
  if (typeof signer !== "object" || signer === null) throw refuse("signer", "who pays");
  const isAmount = typeof maxAmount === "bigint" || Number.isSafeInteger(maxAmount);
  if (!isAmount || maxAmount < 0) throw refuse("maxAmount", "a whole number of the token's smallest unit");
  // Ill-formed strings would have the same bytes.
  if (orderId !== undefined && (typeof orderId !== "string" || !/^(?!\s*$)\P{Surrogate}+$/u.test(orderId))) {
    throw refuse("orderId", "a non-empty string");
  }
  if (!Number.isSafeInteger(waitMs) || waitMs < 0) throw refuse("waitMs", "milliseconds, from 0 on");
  return { signer, maxAmount: BigInt(maxAmount), network: checkNetwork(network, group), orderId, waitMs };
}

/** @param group - before the option's name, in an error */
export function checkNetwork(network: unknown, group = ""): UploadNetwork {
  const named = typeof network === "string" && Object.hasOwn(uploadNetworks, network);
  const row = (named ? uploadNetworks[network as keyof typeof uploadNetworks] : Object(network)) as UploadNetwork;
  const { chainId, usdc, rpc, moreRpcs = [] } = row;
  const isValid =
    Number.isSafeInteger(chainId) &&
    chainId > 0 &&
    typeof usdc === "string" &&
    /^0x[0-9a-f]{40}$/i.test(usdc) &&
    Array.isArray(moreRpcs) &&
    [rpc, ...moreRpcs].every((url) => typeof url === "string" && /^https?:\/\//.test(url));
  if (isValid) return { chainId, usdc, rpc, moreRpcs };
  const names = Object.keys(uploadNetworks).join(", ");
  throw invalidOption(`${group}network`, `one of ${names}, or { chainId, usdc, rpc }`);
}
