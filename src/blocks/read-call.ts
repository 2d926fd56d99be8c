import { TRANSFER_TIMEOUT_MS } from "../config/limits.ts";
import { type CallOptions, type ResolvedCall, resolveCall } from "../options.ts";

/** A call that may read from several gateways. */
export interface ReadCall extends ResolvedCall {
  /** At least one, none twice. */
  gateways: readonly string[];
}

/** Fills in the defaults of a call that may read from several gateways; throws as {@link resolveCall}. */
export function resolveReadCall(options: CallOptions): ReadCall {
  const call = resolveCall(options, TRANSFER_TIMEOUT_MS);
  const gateway = options.endpoints?.gateway ?? call.endpoints.gateway;
  return { ...call, gateways: typeof gateway === "string" ? [gateway] : [...new Set(gateway)] };
}
