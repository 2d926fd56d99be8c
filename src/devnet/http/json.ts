import type { IncomingMessage } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";

/** What a handler is given. */
export type Env = { Bindings: HttpBindings };

/** A JSON body as it came in: nothing about its fields is known yet. */
export type Fields = Readonly<Record<string, unknown>>;

/** Bytes of the largest JSON body that is read. */
const MAX_BODY_BYTES = 1024 * 1024;

/** A response that refuses the request; `message` may be nested as the network nests it, in the field that it uses. */
export class Refusal extends Error {
  readonly status: ContentfulStatusCode;
  readonly body: Fields;

  constructor(status: ContentfulStatusCode, message: unknown, field: "message" | "error" = "message") {
    super("refused");
    this.status = status;
    this.body = { [field]: message };
  }
}

/** An application whose handlers may throw a {@link Refusal}; what it has no route for is a 404 in JSON. */
export function jsonApp(): Hono<Env> {
  const app = new Hono<Env>();
  app.notFound((c) => c.json({ message: "Not Found" }, 404));
  app.onError((error, c) => {
    if (error instanceof Refusal) return c.json(error.body, error.status);
    return c.json({ message: "Internal Server Error" }, 500);
  });
  return app;
}

/**
 * The body as a JSON object.
 *
 * @throws Refusal 413 for more than 1 MiB, 400 for anything but an object.
 */
export async function readFields(c: Context<Env>): Promise<Fields> {
  const text = await readText(c.env.incoming);
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === "object" && body !== null && !Array.isArray(body)) return body as Fields;
  } catch {
    // refused below, like every other body that is no object
  }
  throw new Refusal(400, "Invalid JSON body");
}

/** Reads straight from the connection: a web stream in between would hold on to the rest of a refused body. */
async function readText(incoming: IncomingMessage): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
    size += piece.byteLength;
    if (size > MAX_BODY_BYTES) throw new Refusal(413, "Request body too large");
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}
