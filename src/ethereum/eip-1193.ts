/** A wallet in a page, or any other provider that implements EIP-1193. */
export interface Eip1193Provider {
  /** Sends a request to the wallet: `eth_requestAccounts`, `personal_sign`, `eth_sendTransaction` … */
  request(request: {
    /** Name of the JSON-RPC method. */
    method: string;
    /** Its parameters, in order. */
    params?: readonly unknown[];
  }): Promise<unknown>;
  /** Subscribes to an event: `accountsChanged`, `chainChanged`. */
  on?(event: string, listener: (value: never) => void): unknown;
  /** Unsubscribes from an event. */
  removeListener?(event: string, listener: (value: never) => void): unknown;
}

export function isEip1193(value: unknown): value is Eip1193Provider {
  return typeof value === "object" && value !== null && "request" in value && typeof value.request === "function";
}
