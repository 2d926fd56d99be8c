const TIMEOUT_MS = 5_000;

/** What an EVM node had to say. */
export type RpcReply =
  | { result: string }
  /** The contract refused the call. */
  | "reverted"
  /** The node could not be asked, or did not answer as such a node does. */
  | "silent";

/** Asks an EVM node by JSON-RPC 2.0; waits 5 s at most. */
export async function askEvm(url: string, method: string, params: readonly unknown[]): Promise<RpcReply> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const { result, error } = (await response.json()) as { result?: unknown; error?: unknown };
    if (typeof result === "string") return { result };
    return isRevert(error) ? "reverted" : "silent";
  } catch {
    return "silent";
  }
}

/** Nodes agree on code 3 or at least on the word. */
function isRevert(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  const { code, message } = error as { code?: unknown; message?: unknown };
  return code === 3 || (typeof message === "string" && /revert/i.test(message));
}
