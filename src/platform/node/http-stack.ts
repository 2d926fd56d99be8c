import nodeHttp, { type ClientRequest, type IncomingMessage } from "node:http";
import nodeHttps from "node:https";
import { pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import type { RequestFacts } from "../../base/errors/details/input-and-requests.ts";
import { networkError, responseTooLarge } from "../../base/errors/transport.ts";
import type { StackRequest, StackResponse } from "../types.ts";
import { agentFor } from "./agents.ts";
import { keepLateResponse } from "./late-response.ts";

export const keepsResponses = false;

const REDIRECTS = [301, 302, 303, 307, 308];
const MAX_REDIRECTS = 5;

/** A request and its response, whose headers have arrived. */
interface Exchange {
  sender: ClientRequest;
  response: IncomingMessage;
}

/** Sends requests with `node:http`, over kept connections, through the proxies that the environment names. */
export async function sendRequest(request: StackRequest): Promise<StackResponse> {
  let url = new URL(request.url);
  let { headers } = request;
  for (let redirects = 0; ; redirects++) {
    const exchange = await start({ ...request, headers }, url);
    const next = request.method === "GET" ? readRedirect(exchange.response, url) : undefined;
    if (!next) return toStackResponse(exchange, request);
    exchange.response.destroy();
    if (redirects === MAX_REDIRECTS) throw new Error("Too many redirects");
    // What proves who asks is for the service that was asked.
    if (next.origin !== url.origin) headers = withoutCredentials(headers);
    url = next;
  }
}

/** Starts a request, again if the service has closed a kept connection before the request arrived. */
async function start(request: StackRequest, url: URL): Promise<Exchange> {
  // The data of a body can be read only once.
  if (request.once || typeof request.body === "object") return exchange(request, url, await agentFor(url, true));
  try {
    return await exchange(request, url, await agentFor(url, false));
  } catch (error) {
    if (!stale.has(error as Error)) throw error;
    return exchange(request, url, await agentFor(url, true));
  }
}

/** Errors of a connection that was used before, and failed without a response. */
const stale = new WeakSet<Error>();

function exchange(request: StackRequest, url: URL, agent: nodeHttp.Agent): Promise<Exchange> {
  const { method, body, signal, watch } = request;
  const form = typeof body === "object" ? body : undefined;
  const headers = {
    "User-Agent": "keeplight",
    "Accept-Encoding": "gzip, deflate, br",
    ...(typeof body === "string" ? { "Content-Length": String(Buffer.byteLength(body)) } : {}),
    ...request.headers,
    ...form?.headers,
  };
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    // Looked up at each call, so that tools that replace these functions (msw, nock, tracers) take effect.
    const { request: open } = url.protocol === "https:" ? nodeHttps : nodeHttp;
    const sender = open(url, { method, headers, agent, signal }, (response) => resolve({ sender, response }));
    // Later errors are those of the response.
    sender.once("response", () => sender.off("error", fail).on("error", () => undefined));
    sender.on("error", fail);
    function fail(error: NodeJS.ErrnoException): void {
      form?.onFailure?.(sender);
      const isReset = error.code === "ECONNRESET" || error.code === "EPIPE";
      if (isReset && sender.reusedSocket) stale.add(error);
      reject(error);
    }
    if (!form) return void sender.end(body);
    keepLateResponse(sender, watch);
    pipeline(form.data as Readable, sender, () => undefined);
  });
}

/** @throws if the address is not one that can be requested */
function readRedirect({ statusCode = 0, headers }: IncomingMessage, from: URL): URL | undefined {
  if (!REDIRECTS.includes(statusCode) || headers.location === undefined) return undefined;
  const url = new URL(headers.location, from);
  if (url.protocol !== "https:" && url.protocol !== "http:") throw new Error("A redirect to an unknown protocol");
  return url;
}

function withoutCredentials(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !/^(authorization|cookie)$/i.test(name)));
}

function toStackResponse(exchange: Exchange, { facts }: StackRequest): StackResponse {
  const { sender, response } = exchange;
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    ...openBody(exchange, facts),
    close() {
      response.destroy();
      if (!sender.writableFinished) sender.destroy();
    },
  };
}

/** Each fails if its format is truncated, unlike those of axios. */
const decoders = { gzip: createGunzip, "x-gzip": createGunzip, deflate: createInflate, br: createBrotliDecompress };

/** A compressed body may expand to this many bytes, or by this factor if that is more. */
const EXPANDED_BYTES = 64 * 1024 * 1024;
const MAX_EXPANSION = 100;

/** Files are requested uncompressed; if a gateway compresses them nevertheless, decodes strictly and within limits. */
function openBody(
  { sender, response: message }: Exchange,
  facts: RequestFacts,
): Pick<StackResponse, "chunks" | "size" | "endIsProven"> {
  const { headers } = message;
  // If a body ends with its connection, Node reports a reset only to the request, and ends the body as if it were whole.
  sender.once("error", (error) => message.destroy(error));
  const length = Number(headers["content-length"] ?? Number.NaN);
  const endIsProven = !Number.isNaN(length) || /chunked\s*$/i.test(String(headers["transfer-encoding"]));

  const encoding = String(headers["content-encoding"] ?? "").toLowerCase();
  if (encoding === "" || encoding === "identity") {
    return { chunks: message, size: Number.isSafeInteger(length) ? length : undefined, endIsProven };
  }
  if (!Object.hasOwn(decoders, encoding)) throw networkError(facts, new Error("The content encoding is not known"));
  return { chunks: decode(message, encoding as keyof typeof decoders, facts), size: undefined, endIsProven: true };
}

async function* decode(message: IncomingMessage, encoding: keyof typeof decoders, facts: RequestFacts) {
  const decoder = decoders[encoding]();
  // Errors of the message become errors of the decoder.
  pipeline(message, decoder, () => undefined);
  let size = 0;
  for await (const chunk of decoder as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    const limit = Math.max(EXPANDED_BYTES, MAX_EXPANSION * decoder.bytesWritten);
    if (size > limit) throw responseTooLarge(facts, limit);
    yield chunk;
  }
}
