import type { ServerResponse } from "node:http";
import { CarWriter } from "@ipld/car";
import type { MemoryBlockstore } from "blockstore-core";
import { exporter } from "ipfs-unixfs-exporter";
import { CID } from "multiformats/cid";
import { createServer, type RecordedRequest, type TestServer } from "../support/http-server.ts";

/** A way that a gateway sends content. */
export type Way = "raw" | "car" | "range" | "whole";

export interface StandInOptions {
  ways?: readonly Way[];
  /** Changes what is sent. */
  change?: ((bytes: Uint8Array, request: RecordedRequest) => Uint8Array | Promise<Uint8Array>) | undefined;
  /** Responds instead, if it returns true. */
  intercept?: ((request: RecordedRequest, response: ServerResponse) => boolean | Promise<boolean>) | undefined;
}

/** Starts a gateway over these blocks, with the exporter of IPFS as its judge of what a range contains. */
export async function startGateway(blocks: MemoryBlockstore, options: StandInOptions = {}): Promise<TestServer> {
  const { ways = ["raw", "car", "range"], change = (bytes) => bytes, intercept } = options;
  return createServer(async (request, response) => {
    if (await intercept?.(request, response)) return;
    const send = async (bytes: Uint8Array, type: string, headers: Record<string, string> = {}, status = 200) => {
      const sent = await change(bytes, request);
      response.writeHead(status, { "Content-Type": type, "Content-Length": sent.length, ...headers });
      response.end(sent);
    };
    const [, name = ""] = /^\/(?:ipfs|api\/v0\/cat)\/(.*)$/.exec(request.path) ?? [];
    const cid = CID.parse(name);
    const { format } = request.query;
    try {
      if (request.method === "POST") {
        if (!ways.includes("whole")) throw new Error("not offered");
        return await send(await readContent(blocks, cid), "application/octet-stream");
      }
      if (format === "raw" && ways.includes("raw")) {
        return await send(await getBlock(blocks, cid), "application/vnd.ipld.raw");
      }
      if (format === "car" && ways.includes("car")) {
        return await send(await makeCar(blocks, cid, request.query), "application/vnd.ipld.car; version=1");
      }
      const content = await readContent(blocks, cid);
      const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
      if (from === undefined || !ways.includes("range")) return await send(content, "application/octet-stream");
      const part = content.subarray(Number(from), Number(to) + 1);
      const range = { "Content-Range": `bytes ${from}-${Number(from) + part.length - 1}/${content.length}` };
      return await send(part, "application/octet-stream", range, 206);
    } catch {
      response.writeHead(404).end("not found");
    }
  });
}

async function getBlock(blocks: MemoryBlockstore, cid: CID): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const part of blocks.get(cid)) parts.push(part);
  return Buffer.concat(parts);
}

async function readContent(blocks: MemoryBlockstore, cid: CID): Promise<Uint8Array> {
  const entry = await exporter(cid, blocks);
  if (entry.type !== "file" && entry.type !== "raw") throw new Error("not a file");
  const parts: Uint8Array[] = [];
  for await (const part of entry.content()) parts.push(part);
  return Buffer.concat(parts);
}

async function makeCar(blocks: MemoryBlockstore, cid: CID, query: Record<string, string>): Promise<Uint8Array> {
  const { writer, out } = CarWriter.create([cid]);
  const collected = (async () => {
    const parts: Uint8Array[] = [];
    for await (const part of out) parts.push(part);
    return Buffer.concat(parts);
  })();
  const added = new Set<string>();
  const add = async (block: CID) => {
    const bytes = await getBlock(blocks, block);
    if (!added.has(block.toString())) await writer.put({ cid: block, bytes });
    added.add(block.toString());
    return bytes;
  };
  await add(cid);
  if (query["dag-scope"] !== "block") {
    const [from = 0, to = 0] = (query["entity-bytes"] ?? "").split(":").map(Number);
    const entry = await exporter(cid, {
      async *get(requested) {
        yield await add(requested);
      },
    });
    if (entry.type !== "file" && entry.type !== "raw") throw new Error("not a file");
    // The exporter reads ahead, and would still do so once the archive is closed.
    for await (const _ of entry.content({ offset: from, length: to - from + 1, blockReadConcurrency: 1 }));
  }
  await writer.close();
  return collected;
}
