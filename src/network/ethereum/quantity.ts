import { unreadableResponse } from "../../base/errors/payment.ts";

/** Parses a quantity that a node returned for `method`; throws `INVALID_RESPONSE` for anything else. */
export function parseQuantity(method: string, value: unknown): bigint {
  if (typeof value === "string" && /^0x[0-9a-fA-F]{1,64}$/.test(value)) return BigInt(value);
  throw unreadableResponse(method);
}
