import type { FreshConnection } from "../contract.ts";

/** The browser itself repeats a request for which it took a connection that was closed, where it may. */
export function freshConnection(): FreshConnection {
  return {};
}
