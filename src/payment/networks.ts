import { networks as rows } from "../config/networks.ts";

// A module of its own: a page loads at once what the entry exports and code that is loaded later imports.

/**
 * The chains of the public network. To use another RPC service or another contract, spread a row:
 * `{ ...networks.polygon, rpc: "https://…" }`. Payments on a `retired` one are refused.
 */
export const networks = rows;
