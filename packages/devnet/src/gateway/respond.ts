import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context } from "hono";
import type { CID } from "multiformats/cid";
import type { ReadBlock } from "../content/tree.ts";
import type { Env } from "../http/json.ts";
import type { Network } from "../network.ts";
import type { GatewayFormat } from "../options.ts";

/** One gateway, with what it serves from. */
export interface Gateway extends Pick<Network, "attacks"> {
  /** Its index in the devnet's list of gateways. */
  index: number;
  formats: readonly GatewayFormat[];
  /** Throws Refusal 404 for a missing block. */
  readBlock: ReadBlock;
}

/** A requested content path. */
export interface ContentRequest {
  /** The content id as requested. */
  text: string;
  root: CID;
  /** Names below it. */
  names: readonly string[];
  /** Whether the path always leads to the same content. */
  isImmutable: boolean;
}

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
export async function respond(c: Context<Env>, { status = 200, headers, readBody }: ContentResponse) {
  const { outgoing } = c.env;
  if (isKnown(c.req.header("if-none-match"), String(headers["ETag"]))) {
    const { "Content-Length": _, ...others } = headers;
    outgoing.writeHead(304, others).end();
    return RESPONSE_ALREADY_SENT;
  }
  outgoing.writeHead(status, headers);
  if (c.req.method === "HEAD" || headers["Content-Length"] === 0) outgoing.end();
  // the pipeline also fails if the client disconnects, which is no error of the gateway
  else await pipeline(Readable.from(readBody(), { objectMode: false }), outgoing).catch(() => {});
  return RESPONSE_ALREADY_SENT;
}

function isKnown(known: string | undefined, etag: string): boolean {
  const toOpaque = (tag: string) => tag.trim().replace(/^W\//, "");
  return known !== undefined && (known.trim() === "*" || known.split(",").map(toOpaque).includes(toOpaque(etag)));
}
