import { postRpc } from "../../packages/devnet/src/http/json.ts";
import { createServer, sendJson, type TestServer } from "../support/http-server.ts";

/** A request to a node. */
export interface RpcCall {
  method: string;
  params: unknown[];
  /** How many calls of this method there were before it. */
  nth: number;
  /** Forwards the request to the real node; throws a {@link NodeError} if it refuses. */
  forward(): Promise<unknown>;
}

/** A JSON-RPC error of a node. */
export class NodeError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Thrown by a handler to break the connection instead of responding. */
export class Broken extends Error {}

/** Thrown by a handler to respond with fields of its own. */
export class Reply extends Error {
  /** Added to those of the JSON-RPC response, or in their place. */
  readonly fields: object;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(fields: object, status = 200, headers: Readonly<Record<string, string>> = {}) {
    super("another response");
    this.fields = fields;
    this.status = status;
    this.headers = headers;
  }
}

/** Refuses the calls that `isRefused` chooses, because there are too many. */
export function refuseIf(isRefused: () => boolean): (call: RpcCall) => Promise<unknown> {
  return async ({ forward }) => {
    if (!isRefused()) return forward();
    throw new Reply({ error: { code: -32_005, message: "too many requests" } }, 429);
  };
}

export interface RpcProxy extends TestServer {
  /** Every call so far. */
  methods: string[];
  /** How many calls of a method there were. */
  count(method: string): number;
  /** Handles calls with `handler` from now on; forwards them by default. */
  handle(handler?: (call: RpcCall) => Promise<unknown>): void;
}

/** Sends a call to a node; throws a {@link NodeError} if it refuses. */
export async function forwardTo(upstream: string, method: string, params: unknown): Promise<unknown> {
  const { result, error } = (await postRpc(upstream, { jsonrpc: "2.0", id: 1, method, params })) as {
    result: unknown;
    error?: { code: number; message: string; data?: unknown };
  };
  if (error) throw new NodeError(error.code, error.message, error.data);
  return result;
}

/** Starts a proxy of a node for one test, which fails in the way that the test needs. */
export async function createRpcProxy(
  upstream: string,
  first: (call: RpcCall) => Promise<unknown> = ({ forward }) => forward(),
): Promise<RpcProxy> {
  let handler = first;
  const methods: string[] = [];
  const counts = new Map<string, number>();
  const count = (method: string) => counts.get(method) ?? 0;
  const server = await createServer(async (request, response) => {
    const { id, method, params } = JSON.parse(request.body.toString()) as {
      id: number;
      method: string;
      params: unknown[];
    };
    const nth = count(method);
    methods.push(method);
    counts.set(method, nth + 1);
    const forward = () => forwardTo(upstream, method, params);
    try {
      sendJson(response, { jsonrpc: "2.0", id, result: await handler({ method, params, nth, forward }) });
    } catch (error) {
      if (error instanceof Reply) {
        for (const [name, value] of Object.entries(error.headers)) response.setHeader(name, value);
        sendJson(response, { jsonrpc: "2.0", id, ...error.fields }, error.status);
      } else if (error instanceof NodeError) {
        const { code, message, data } = error;
        sendJson(response, { jsonrpc: "2.0", id, error: { code, message, data } });
      } else {
        response.destroy();
      }
    }
  });
  return {
    ...server,
    methods,
    count,
    handle: (next = ({ forward }) => forward()) => {
      handler = next;
    },
  };
}
