import { once } from "node:events";
import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import { text } from "node:stream/consumers";
import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";

export type Env = { Bindings: HttpBindings };

/** A JSON object as received, with unvalidated fields. */
export type Fields = Readonly<Record<string, unknown>>;

const MAX_BODY_BYTES = 1024 * 1024;

/** Refuses the request with a status and a message; the message's field and nesting are the network's. */
export class Refusal extends Error {
  readonly status: ContentfulStatusCode;
  readonly body: Fields;

  constructor(status: ContentfulStatusCode, message: unknown, field: "message" | "error" = "message") {
    super("refused");
    this.status = status;
    this.body = { [field]: message };
  }
}

/** Creates an application whose handlers may throw a {@link Refusal}; unknown routes are a 404 in JSON. */
export function createJsonApp(): Hono<Env> {
  const app = new Hono<Env>();
  app.notFound((c) => c.json({ message: "Not Found" }, 404));
  app.onError(respondToError);
  return app;
}

/** Responds to a failed request. Only what a {@link Refusal} says is for the client. */
export function respondToError(error: unknown, c: Context<Env>): Response {
  if (error instanceof Refusal) return c.json(error.body, error.status);
  return c.json({ message: "Internal Server Error" }, 500);
}

/**
 * Reads the body as a JSON object.
 *
 * @throws Refusal 413 for more than 1 MiB, 400 for anything but an object.
 */
export async function readFields(c: Context<Env>): Promise<Fields> {
  const text = await readText(c.env.incoming);
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === "object" && body !== null && !Array.isArray(body)) return body as Fields;
  } catch {
    // refused below, like any other body that is not an object
  }
  throw new Refusal(400, "Invalid JSON body");
}

/** Reads directly from the connection: a web stream in between would keep the rest of a refused body. */
async function readText(incoming: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > MAX_BODY_BYTES) throw new Refusal(413, "Request body too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Posts a JSON-RPC call, or several; returns the parsed response. `fetch` would take twice the processor time. */
export async function postRpc(url: string, call: unknown, signal?: AbortSignal) {
  const { request } = url.startsWith("https:") ? https : http;
  const sent = request(url, { method: "POST", headers: { "content-type": "application/json" }, signal });
  // The response reports, too, what breaks it off.
  sent.on("error", () => undefined);
  sent.end(JSON.stringify(call));
  const [response]: IncomingMessage[] = await once(sent, "response");
  const body = await text(response as IncomingMessage);
  return JSON.parse(body) as { result?: unknown; error?: { code?: unknown; message: string } };
}
