import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context } from "hono";
import type { Env } from "../http/json.ts";

/** A successful response. */
interface ContentResponse {
  /** Default 200. */
  status?: 200 | 206;
  headers: Readonly<Record<string, string | number>>;
  /** Called only if a body is sent, and not for an empty one of a known length. */
  readBody: () => AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** Lifetime of immutable content in caches, as Kubo sends it. */
const IMMUTABLE = "public, max-age=29030400, immutable";

/** Returns the headers of any content; under `/ipfs/` it never changes. */
export function describeContent(type: string, etag: string, isImmutable: boolean): Record<string, string> {
  return { "Content-Type": type, ETag: etag, ...(isImmutable ? { "Cache-Control": IMMUTABLE } : {}) };
}

/** Returns the headers that keep a browser from rendering what is meant for verification. */
export function describeAttachment(filename: string): Record<string, string> {
  return { "Content-Disposition": `attachment; filename="${filename}"`, "X-Content-Type-Options": "nosniff" };
}

/**
 * Sends content, or status 304 if the client has it (RFC 9110, section 13.1.2). If the body fails, the connection ends
 * without the end of the response.
 */
export async function respond(
  c: Context<Env>,
  { status = 200, headers, readBody }: ContentResponse,
): Promise<typeof RESPONSE_ALREADY_SENT> {
  const { outgoing } = c.env;
  if (isKnown(c.req.header("if-none-match"), String(headers["ETag"]))) {
    const { "Content-Length": _, ...others } = headers;
    outgoing.writeHead(304, others).end();
    return RESPONSE_ALREADY_SENT;
  }
  outgoing.writeHead(status, headers);
  if (c.req.method === "HEAD" || headers["Content-Length"] === 0) outgoing.end();
  // the pipeline also fails if the client disconnects, which is no error of the gateway
  else await pipeline(toReadable(readBody()), outgoing).catch(() => {});
  return RESPONSE_ALREADY_SENT;
}

function toReadable(body: ReturnType<ContentResponse["readBody"]>): Readable {
  return body instanceof Readable ? body : Readable.from(body, { objectMode: false });
}

function isKnown(known: string | undefined, etag: string): boolean {
  const toOpaque = (tag: string) => tag.trim().replace(/^W\//, "");
  return known !== undefined && (known.trim() === "*" || known.split(",").map(toOpaque).includes(toOpaque(etag)));
}
