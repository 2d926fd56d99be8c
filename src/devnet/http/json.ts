import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { ContentfulStatusCode } from "hono/utils/http-status";

/** What a handler is given. */
export type Env = { Bindings: HttpBindings };

/** A JSON body as it came in: nothing about its fields is known yet. */
export type Fields = Readonly<Record<string, unknown>>;

/** Bytes of the largest JSON body that is read. */
const MAX_BODY_BYTES = 1024 * 1024;

/** An answer that is not what was asked for; `message` may be nested as the network nests it. */
export class Refusal extends Error {
  readonly status: ContentfulStatusCode;
  readonly body: Fields;

  constructor(status: ContentfulStatusCode, message: unknown) {
    super("refused");
    this.status = status;
    this.body = { message };
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

/** Refuses a body over 1 MiB before it is read to its end. */
export const limitBody = bodyLimit({
  maxSize: MAX_BODY_BYTES,
  onError: () => {
    throw new Refusal(413, "Request body too large");
  },
});

/** The body as a JSON object; anything else is refused with status 400. */
export async function readFields(c: Context<Env>): Promise<Fields> {
  try {
    const body: unknown = JSON.parse(await c.req.text());
    if (typeof body === "object" && body !== null && !Array.isArray(body)) return body as Fields;
  } catch (error) {
    if (error instanceof Refusal) throw error;
  }
  throw new Refusal(400, "Invalid JSON body");
}
