import { isKeeplightError } from "../errors/base.ts";
import { exchange } from "../http/client.ts";
import type { ResolvedCall } from "../options.ts";

/** What a node of a chain said. */
export type RpcResponse =
  | { result: string }
  /** The contract refused; in the node's words. */
  | { reverted: string }
  /** There is no answer; why not. */
  | { failed: string };

/** Asks a chain's JSON-RPC node (EIP-1474) at `url`. */
export type RequestRpc = (url: string, method: string, params: readonly unknown[]) => Promise<RpcResponse>;

/** Requests within one call's time limit and signal. A failure is an answer; only `ABORTED` is thrown. */
export function createRpcRequest({ signal, timeoutMs }: Pick<ResolvedCall, "signal" | "timeoutMs">): RequestRpc {
  return async (url, method, params) => {
    try {
      const json = { jsonrpc: "2.0", id: 1, method, params };
      const answer = await exchange({ method: "POST", base: url, path: "", json, signal, timeoutMs });
      return read(answer.text, answer.status);
    } catch (error) {
      if (!isKeeplightError(error) || error.code === "ABORTED") throw error;
      return { failed: error.message };
    }
  };
}

/** A refusal may come with any status. */
function read(text: string, status: number): RpcResponse {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    return { failed: `it answered status ${status} and no JSON` };
  }
  const { result, error } = Object(answer) as { result?: unknown; error?: unknown };
  if (typeof result === "string" && /^0x[0-9a-f]*$/i.test(result)) return { result };
  const { code, message, data } = Object(error) as { code?: unknown; message?: unknown; data?: unknown };
  if (typeof message !== "string") return { failed: `it answered status ${status} without a result` };
  const said = message.slice(0, MESSAGE_CHARACTERS);
  const reverted = code === REVERTED || /revert|invalid opcode|out of gas/i.test(message) || isHex(data);
  return reverted ? { reverted: said } : { failed: said };
}

const MESSAGE_CHARACTERS = 200;

/** The code that nodes give a reverted call. */
const REVERTED = 3;

function isHex(data: unknown): boolean {
  return typeof data === "string" && /^0x[0-9a-f]*$/i.test(data);
}
