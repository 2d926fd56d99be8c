import type { UploadPaymentFacts } from "keeplight";
import type { TypedData } from "./payer.ts";
import type { Authorization, Offer } from "./terms.ts";

// A payment is a signed transfer (EIP-3009). Its token carries out one authorization for each nonce of a payer, so what
// must be paid once has one nonce, however often it is signed, and with any journal or none: the chain remembers.

/**
 * What is paid for once, by whom, where and in what. Who continues it must not change any of this: it would be another
 * order, and paid for again. Plain data, without secrets.
 */
export interface Order extends Pick<UploadPaymentFacts, "service" | "orderId" | "payer" | "chainId"> {
  /** Address of the token, lower-case. */
  usdc: string;
}

/** Returns the nonce of an order: the SHA-256 of what identifies it, so that anyone can compute it. */
export async function computeNonce({ service, payer, orderId }: Pick<Order, "service" | "payer" | "orderId">) {
  const { host, pathname } = new URL(service);
  const text = ["keeplight pay per upload", `${host}${pathname.replace(/\/+$/, "")}`, payer, orderId].join("\n");
  return `0x${await hash(text)}`;
}

/** Names the order of an encrypted upload: the key stays the same however often the file is encrypted and sent. */
export async function nameByKey(masterKey: string): Promise<string> {
  return `key ${await hash(`keeplight pay per upload key\n${masterKey}`)}`;
}

async function hash(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A chain's clock that differs by more from this machine's is not used, in seconds. */
const MAX_DIFFERENCE_SECONDS = 86_400;

/** Clocks differ: an authorization is valid from so long ago, in seconds. */
const SKEW_SECONDS = 600;

/** A slower upload outlives its authorization, in bytes per second. */
const SLOWEST_BYTES_PER_SECOND = 128 * 1024;

const LONGEST_SECONDS = 7_200;

/**
 * Returns what the payer signs: valid for as long as the service requests, or for a large file as long as sending it may
 * take. A longer time costs nothing: whenever it is carried out, no other one of this order is.
 *
 * @param clock - of this machine and of the chain, in seconds since 1970
 */
export function authorize(
  offer: Offer,
  { payer, nonce, bytes }: { payer: string; nonce: string; bytes: number },
  clock: { here: number; chain: number },
): Authorization {
  const { here } = clock;
  const chain = Math.abs(clock.chain - here) > MAX_DIFFERENCE_SECONDS ? here : clock.chain;
  const sending = Math.min(LONGEST_SECONDS, Math.ceil(bytes / SLOWEST_BYTES_PER_SECOND));
  const seconds = Math.max(offer.maxTimeoutSeconds, sending);
  return {
    from: payer,
    to: offer.payTo,
    value: offer.amount,
    validAfter: String(Math.max(0, Math.min(here, chain) - SKEW_SECONDS)),
    validBefore: String(Math.max(here, chain) + seconds),
    nonce,
  };
}

const TYPES = {
  TransferWithAuthorization: [
    { name: "from", type: "address" },
    { name: "to", type: "address" },
    { name: "value", type: "uint256" },
    { name: "validAfter", type: "uint256" },
    { name: "validBefore", type: "uint256" },
    { name: "nonce", type: "bytes32" },
  ],
};

export function toTypedData(authorization: Authorization, offer: Offer, chainId: number): TypedData {
  const { name, version } = offer.extra;
  return {
    domain: { name, version, chainId, verifyingContract: offer.asset },
    primaryType: "TransferWithAuthorization",
    types: TYPES,
    message: { ...authorization },
  };
}
