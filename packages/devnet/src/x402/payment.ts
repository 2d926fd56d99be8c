import { z } from "zod";
import type { Authorization } from "../chain/signed-transfers.ts";

/** What a route demands (x402 version 2, scheme `exact`). */
export interface Requirements {
  scheme: "exact";
  /** CAIP-2: `eip155:` and the chain id. */
  network: string;
  /** In smallest units, as a decimal string. */
  amount: string;
  /** Address of the token. */
  asset: string;
  payTo: string;
  maxTimeoutSeconds: number;
  extra: { name: string; version: string };
}

/** The header `PAYMENT-SIGNATURE`, decoded: any JSON but null. */
export interface Payment {
  x402Version?: unknown;
  accepted?: unknown;
  payload?: unknown;
}

/** What pays: a signed transfer. */
export interface Payload {
  signature: string;
  authorization: Authorization;
}

/** The header `PAYMENT-RESPONSE`, decoded. */
export interface Settlement {
  success: boolean;
  errorReason?: string;
  /** Hash of the transaction; empty if there is none. */
  transaction: string;
  network: string;
  payer: string;
}

/** Encodes a header. */
export function encodeHeader(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64");
}

/** Decodes a `PAYMENT-SIGNATURE`; one that is malformed is none. */
export function decodePayment(header: string | undefined): Payment | undefined {
  if (!header || !/^[A-Za-z0-9+/]*={0,2}$/.test(header)) return undefined;
  try {
    const payment: unknown = JSON.parse(Buffer.from(header, "base64").toString("utf8"));
    return payment ? (payment as Payment) : undefined;
  } catch {
    return undefined;
  }
}

const address = z.string().regex(/^0x[0-9a-f]{40}$/i);
const whole = z.string().regex(/^\d{1,78}$/);

const payloadShape = z.object({
  signature: z.string().regex(/^0x(?:[0-9a-f]{2})+$/i),
  authorization: z.object({
    from: address,
    to: address,
    value: whole,
    validAfter: whole,
    validBefore: whole,
    nonce: z.string().regex(/^0x[0-9a-f]{64}$/i),
  }),
});

/** Returns what pays; `undefined` if it is malformed. */
export function readPayload({ payload }: Payment): Payload | undefined {
  return payloadShape.safeParse(payload).data;
}

/** The name by which the service knows a payment. */
export function toPaymentKey({ from, nonce }: Authorization): string {
  return `${from.toLowerCase()}:${nonce}`;
}
