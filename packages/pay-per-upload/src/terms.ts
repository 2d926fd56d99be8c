import { KeeplightError } from "keeplight";
import { printable, withoutSecrets } from "keeplight/parts";
import type { TextResponse } from "./call.ts";
import { invalidResponse } from "./errors.ts";
import type { UploadNetwork } from "./options.ts";

// The headers of x402, version 2 (github.com/coinbase/x402, specs/transports-v2/http.md): JSON in Base64.

/** A payment that a service accepts: one that this client makes. */
export interface Offer {
  scheme: "exact";
  /** `eip155:` and the chain id. */
  network: string;
  /** Address of the token. */
  asset: string;
  /** In the token's smallest unit, a decimal string. */
  amount: string;
  /** Address of the recipient. */
  payTo: string;
  maxTimeoutSeconds: number;
  /** Of the token's domain (EIP-712). */
  extra: { name: string; version: string };
}

/** What a service requests, as far as it is repeated to it. */
export interface Terms {
  offer: Offer;
  /** As it was sent, with what this client does not read. */
  accepted: object;
  resource: unknown;
  extensions: unknown;
}

/**
 * Reads what a service requests to be paid, in a response with status 402.
 *
 * @throws `INVALID_RESPONSE` if it says nothing; `UNEXPECTED_PAYMENT` if it is not a transfer of this network's USDC
 */
export function readTerms(response: TextResponse, network: UploadNetwork): Terms {
  const required = decode(response.headers["payment-required"]);
  const accepts: unknown[] = Array.isArray(required?.["accepts"]) ? required["accepts"] : [];
  if (response.status !== 402 || !required || accepts.length === 0) {
    throw invalidResponse(response, "The service does not say what the upload costs");
  }
  const fitting = accepts.find((each) => isOffer(each, network));
  if (!fitting) {
    const expected = `exact, eip155:${network.chainId}, ${network.usdc}`;
    const got = accepts.slice(0, SHOWN_OFFERS).map(describeOffer).join("; ");
    const message = `The service requests another payment than ${expected}`;
    throw new KeeplightError("UNEXPECTED_PAYMENT", message, { details: { expected, got } });
  }
  return {
    offer: toOffer(fitting),
    accepted: fitting,
    resource: required["resource"],
    extensions: required["extensions"],
  };
}

/** Returns the same terms for another amount, which depends on the size. */
export function withAmount({ offer, accepted, ...terms }: Terms, amount: string): Terms {
  return { ...terms, offer: { ...offer, amount }, accepted: { ...accepted, amount } };
}

const SHOWN_CHARACTERS = 300;
const SHOWN_OFFERS = 3;

/** Of what a service sends, only what has a known form: it may repeat a signature. */
function describeOffer(value: unknown): string {
  const { scheme, network, asset } = Object(value) as Record<string, unknown>;
  const show = (field: unknown) => (typeof field === "string" && /^[\w:.-]{1,60}$/.test(field) ? field : "?");
  return [scheme, network, asset].map(show).join(", ");
}

const ADDRESS = /^0x[0-9a-f]{40}$/i;
const MAX_TIMEOUT_SECONDS = 86_400;

function isOffer(value: unknown, { chainId, usdc }: UploadNetwork): value is Offer {
  if (!isObject(value)) return false;
  const { scheme, network, asset, amount, payTo, maxTimeoutSeconds, extra } = value;
  if (typeof asset !== "string" || typeof amount !== "string" || typeof payTo !== "string") return false;
  const { name, version, assetTransferMethod = "eip3009" } = Object(extra) as Record<string, unknown>;
  return (
    scheme === "exact" &&
    network === `eip155:${chainId}` &&
    asset.toLowerCase() === usdc.toLowerCase() &&
    /^[1-9]\d{0,30}$/.test(amount) &&
    ADDRESS.test(payTo) &&
    Number.isSafeInteger(maxTimeoutSeconds) &&
    Number(maxTimeoutSeconds) > 0 &&
    Number(maxTimeoutSeconds) <= MAX_TIMEOUT_SECONDS &&
    typeof name === "string" &&
    typeof version === "string" &&
    assetTransferMethod === "eip3009"
  );
}

function toOffer({ scheme, network, asset, amount, payTo, maxTimeoutSeconds, extra }: Offer): Offer {
  const { name, version } = extra;
  return { scheme, network, asset, amount, payTo, maxTimeoutSeconds, extra: { name, version } };
}

/** A transfer that its payer allows, as x402 transmits it: amounts and times are decimal strings. */
export interface Authorization {
  from: string;
  to: string;
  value: string;
  /** In seconds since 1970; so is `validBefore`. */
  validAfter: string;
  validBefore: string;
  /** 32 bytes in hex. */
  nonce: string;
}

/** What pays for a request, as it is sent. */
export interface Payment {
  headers: Record<string, string>;
  /** What must not be printed. */
  secrets: readonly string[];
}

export function toPayment(terms: Terms, authorization: Authorization, signature: string): Payment {
  const { accepted, resource, extensions } = terms;
  const payload = { signature, authorization };
  const header = encode({ x402Version: 2, resource, accepted, payload, extensions });
  const digits = signature.slice(2);
  const halves = [digits.slice(0, 64), digits.slice(64, 128)];
  const bytes = btoa(digits.replace(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16))));
  return { headers: { "PAYMENT-SIGNATURE": header }, secrets: [header, signature, digits, ...halves, bytes] };
}

/** How a service says that a payment ended. Nothing of it is proved. */
export interface Settlement {
  isSuccess: boolean;
  /** Hash. */
  transaction: string | undefined;
  reason: string | undefined;
}

/** Reads how a payment ended; `undefined` if the service does not say. */
export function readSettlement({ headers, secrets }: TextResponse): Settlement | undefined {
  const settled = decode(headers["payment-response"]);
  if (!settled) return undefined;
  const { success, transaction, errorReason } = settled;
  return {
    isSuccess: success === true,
    transaction: isHash(transaction) ? transaction.toLowerCase() : undefined,
    reason: readText(errorReason, secrets),
  };
}

/** Reads why a payment was refused; `undefined` if the service does not say. */
export function readRefusal(response: TextResponse): string | undefined {
  return (
    readSettlement(response)?.reason ??
    readText(decode(response.headers["payment-required"])?.["error"], response.secrets)
  );
}

export function isHash(value: unknown): value is string {
  return typeof value === "string" && /^0x[0-9a-f]{64}$/i.test(value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function readText(value: unknown, secrets: readonly string[]): string | undefined {
  if (typeof value !== "string" || value === "") return undefined;
  // It may repeat what it refuses.
  return printable(withoutSecrets(value, secrets)).slice(0, SHOWN_CHARACTERS);
}

function encode(value: object): string {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

function decode(header: unknown): Record<string, unknown> | undefined {
  if (typeof header !== "string") return undefined;
  try {
    const bytes = Uint8Array.from(atob(header), (character) => character.charCodeAt(0));
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
