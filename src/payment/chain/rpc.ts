import * as z from "zod/mini";
import { isKeeplightError, type KeeplightError, withDetails } from "../../errors/base.ts";
import { invalidOption } from "../../errors/input.ts";
import { rpcRefused } from "../../errors/payment.ts";
import { readProviderError, sanitizeServerText, toSafeCause } from "../../errors/provider-error.ts";
import { invalidJson, networkError } from "../../errors/transport.ts";
import { exchange } from "../../http/client.ts";
import { withDeadline } from "../../http/deadline.ts";
import { assertSuccess } from "../../http/response.ts";

/**
 * One call of a node's JSON-RPC.
 *
 * @throws `RPC_REFUSED` with what a contract reverted with in `details.data`, `HTTP_STATUS`, `INVALID_JSON`, `NETWORK`,
 * `TIMEOUT`, `ABORTED`
 */
export type Rpc = (method: string, params: readonly unknown[]) => Promise<unknown>;

/** Signal and time limit of every single call. */
export interface RpcLimits {
  signal: AbortSignal | undefined;
  timeoutMs: number;
}

const envelope = z.object({
  result: z.optional(z.unknown()),
  error: z.optional(z.looseObject({ message: z.optional(z.string()) })),
});

/**
 * A node behind a URL. The URL's path may hold a key, so that errors name the host only.
 *
 * @throws `INVALID_OPTION` for what is no URL
 */
export function httpRpc(url: string, limits: RpcLimits): Rpc {
  const { origin, protocol, username, password, host, pathname, search } = parsedUrl(url);
  const login = username === "" ? "" : `${username}:${password}@`;
  let id = 0;
  return async (method, params) => {
    const facts = { method, url: origin };
    try {
      const json = { jsonrpc: "2.0", id: ++id, method, params };
      const base = `${protocol}//${login}${host}`;
      const answer = await exchange({
        method: "POST",
        base,
        path: `${pathname}${search}`,
        json,
        once: method === "eth_sendRawTransaction",
        ...limits,
      });
      const parsed = envelope.safeParse(jsonIn(answer.text));
      // Some nodes put their refusal of a call into an answer of status 400 or 500.
      if (parsed.success && parsed.data.error) throw refusal(method, parsed.data.error);
      assertSuccess(answer, "request");
      if (!parsed.success) throw invalidJson(facts, answer.status);
      return parsed.data.result ?? null;
    } catch (error) {
      if (!isKeeplightError(error) || error.code === "RPC_REFUSED") throw error;
      const { serverMessage, ...details } = error.details;
      const said = typeof serverMessage === "string" ? { serverMessage: sanitizeServerText(serverMessage) } : {};
      const shown = { ...details, ...said, ...facts };
      throw withDetails(error, shown);
    }
  };
}

/** A node behind somebody else's code: a wallet, or a provider of ethers. */
export function providerRpc(
  send: (method: string, params: readonly unknown[]) => Promise<unknown>,
  limits: RpcLimits,
): Rpc {
  return (method, params) => {
    const facts = { method, url: "the signer's provider" };
    return withDeadline(
      facts,
      limits,
      (signal) =>
        new Promise((resolve, reject) => {
          signal.addEventListener("abort", () => reject(networkError(facts, undefined)), { once: true });
          Promise.resolve()
            .then(() => send(method, params))
            .then(resolve, (error: unknown) => reject(refusedOrBroken(method, facts, error)));
        }),
    );
  };
}

function refusedOrBroken(method: string, facts: { method: string; url: string }, error: unknown): KeeplightError {
  const foreign = readProviderError(error);
  const answered = foreign.code !== undefined || foreign.data !== undefined;
  return answered ? refusal(method, error) : networkError(facts, toSafeCause(foreign));
}

function refusal(method: string, error: unknown): KeeplightError {
  const { code, message, data } = readProviderError(error);
  return rpcRefused(method, { code, message, data });
}

function parsedUrl(url: string): URL {
  try {
    return new URL(url);
  } catch {
    // What it says of itself might repeat a key in it.
    throw invalidOption("rpc", "an http or https URL");
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a contract refused a call, and not a node. */
export function isRevert(error: unknown): error is KeeplightError {
  if (!isKeeplightError(error) || error.code !== "RPC_REFUSED") return false;
  const { data, rpcCode } = error.details;
  return data !== undefined || rpcCode === 3 || /revert|invalid opcode|out of gas|vm exception/i.test(error.message);
}
