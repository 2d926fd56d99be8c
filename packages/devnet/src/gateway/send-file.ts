import { buffer } from "node:stream/consumers";
import type { Context } from "hono";
import type { CID } from "multiformats/cid";
import {
  type ByteRange,
  getFileSize,
  listFolder,
  readFile,
  readNode,
  resolvePath,
  type TreeNode,
} from "../content/tree.ts";
import { type Env, Refusal } from "../http/json.ts";
import { type ContentRequest, describeContent, type Gateway, respond } from "./respond.ts";

const TYPE = "application/octet-stream";

interface FileSource {
  size: number;
  read(range: ByteRange): AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** Sends the file at a content path, or the part that a GET request's `Range` or a POST request's query names. */
export async function sendFile(gateway: Gateway, c: Context<Env>, request: ContentRequest): Promise<Response> {
  const { cid } = await resolvePath(gateway.readBlock, request.root, request.names);
  const node = await readNode(gateway.readBlock, cid);
  const isPost = c.req.method === "POST";
  if (node.kind === "folder") return sendListing(gateway, c, node, isPost);

  const source = await openFile(gateway, cid, node);
  const { size } = source;
  if (isPost) {
    const part = parsePart(c.req.query("offset"), c.req.query("length"), size);
    const length = part.to - part.from + 1;
    return respond(c, {
      headers: { "Content-Type": TYPE, "Content-Length": length },
      readBody: () => source.read(part),
    });
  }
  const etag = `"${cid.toV1()}"`;
  const acceptsRanges = gateway.formats.includes("range");
  const range = acceptsRanges ? parseRange(readRangeHeader(c, etag), size) : undefined;
  if (range === null) {
    c.env.outgoing.setHeader("Content-Range", `bytes */${size}`);
    throw new Refusal(416, "Range Not Satisfiable");
  }
  const { from, to } = range ?? { from: 0, to: size - 1 };
  const headers = {
    ...describeContent(TYPE, etag, request.isImmutable),
    ...(acceptsRanges ? { "Accept-Ranges": "bytes" } : {}),
    ...(range ? { "Content-Range": `bytes ${from}-${to}/${size}` } : {}),
    "Content-Length": to - from + 1,
  };
  return respond(c, { status: range ? 206 : 200, headers, readBody: () => source.read({ from, to }) });
}

/** Returns the header `Range` unless it does not apply: to HEAD, or to other content (RFC 9110, 13.1.5 and 14.2). */
function readRangeHeader(c: Context<Env>, etag: string): string | undefined {
  const condition = c.req.header("if-range");
  return c.req.method === "HEAD" || (condition !== undefined && condition !== etag) ? undefined : c.req.header("range");
}

/** Opens a file, or what an attack makes of it. */
async function openFile({ readBlock, attacks, index }: Gateway, cid: CID, node: TreeNode): Promise<FileSource> {
  const attack = attacks.find("tamper-content", { cid: cid.toString(), gateway: index });
  if (!attack) return { size: getFileSize(node), read: (range) => readFile(readBlock, cid, range) };
  const bytes = attack.change(await buffer(readFile(readBlock, cid)));
  return { size: bytes.byteLength, read: ({ from, to }) => [bytes.subarray(from, to + 1)] };
}

async function sendListing(
  { readBlock }: Gateway,
  c: Context<Env>,
  node: TreeNode,
  isPost: boolean,
): Promise<Response> {
  if (isPost) throw new Refusal(500, "this dag node is a directory");
  const entries = await listFolder(readBlock, node);
  return c.json(entries.map(({ name, cid }) => ({ Name: name, Hash: cid.toV1().toString() })));
}

/**
 * Parses a `Range` header with one range (RFC 9110, section 14.1.2).
 *
 * @returns `undefined` if the header is to be ignored (missing, another unit, several ranges), `null` for an
 * unsatisfiable range.
 */
function parseRange(header: string | undefined, size: number): ByteRange | undefined | null {
  const [, first, last] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? "") ?? [];
  if (first === undefined || last === undefined || (first === "" && last === "")) return undefined;
  if (first === "") {
    const length = Math.min(Number(last), size);
    return length === 0 ? null : { from: size - length, to: size - 1 };
  }
  const from = Number(first);
  const to = last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== "" && Number(last) < from) return undefined;
  return from < size ? { from, to } : null;
}

/**
 * Parses the parameters `offset` and `length` of a request to Kubo's RPC; the part ends before it starts if it is empty.
 *
 * @throws Refusal 400 for anything but whole numbers, 500 for negative ones.
 */
function parsePart(offset = "0", length: string | undefined, size: number): ByteRange {
  const from = Math.min(parseCount("offset", offset), size);
  const count = length === undefined ? size : parseCount("length", length);
  return { from, to: Math.min(from + count, size) - 1 };
}

function parseCount(name: string, text: string): number {
  if (!/^-?\d{1,15}$/.test(text)) throw new Refusal(400, `invalid value for option "${name}"`);
  if (text.startsWith("-")) throw new Refusal(500, `cannot specify negative ${name}`);
  return Number(text);
}
