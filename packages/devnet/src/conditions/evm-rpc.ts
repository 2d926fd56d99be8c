const TIMEOUT_MS = 5_000;

/** The outcome of a request to an EVM node. */
export type RpcReply =
  | { result: string }
  /** The contract reverted the call. */
  | "reverted"
  /** The node is unreachable, or its response is not a JSON-RPC result. */
  | "unreachable";

/** Calls a JSON-RPC 2.0 method of an EVM node, with a timeout of 5 s. */
export async function requestEvm(url: string, method: string, params: readonly unknown[]): Promise<RpcReply> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const { result, error } = (await response.json()) as { result?: unknown; error?: unknown };
    if (typeof result === "string") return { result };
    return isRevert(error) ? "reverted" : "unreachable";
  } catch {
    return "unreachable";
  }
}

/** Nodes use code 3, or at least "revert" in the message. */
function isRevert(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  const { code, message } = error as { code?: unknown; message?: unknown };
  return code === 3 || (typeof message === "string" && /revert/i.test(message));
}
