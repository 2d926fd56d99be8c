import { createHash } from "node:crypto";
import type { Context } from "hono";
import type { CID } from "multiformats/cid";
import { type Block, encodeBlockHead, encodeHeader } from "../car/encode-car.ts";
import { createTreeWalker, type ReadBlock } from "../content/walk-tree.ts";
import type { Env } from "../http/json.ts";
import { resolveByBlocks } from "./content-path.ts";
import type { ContentRequest, Gateway } from "./gateway.ts";
import { CAR_TYPE } from "./requested-format.ts";
import { describeAttachment, describeContent, respond } from "./respond.ts";
import { tamperBlocks } from "./tamper-blocks.ts";
import { readTreeRequest, type TreeRequest } from "./tree-request.ts";

/** Sends an archive of the blocks that lead to the end of a content path, then of the requested ones below it. */
export async function sendCar(gateway: Gateway, c: Context<Env>, request: ContentRequest): Promise<Response> {
  const { text, root, names, isImmutable } = request;
  const tree = readTreeRequest(c);
  const { cid, blocks } = await resolveByBlocks(gateway.readBlock, root, names);
  // a missing root is a 404; blocks below it are read later
  const first = { cid, bytes: await gateway.readBlock(cid) };
  const headers = {
    ...describeContent(CAR_TYPE, createEtag(cid, names, tree), isImmutable),
    ...describeAttachment(`${text}.car`),
    "Accept-Ranges": "none",
  };
  const sent = tamperBlocks(gateway, root.toString(), walkFrom(gateway.readBlock, [...blocks, first], tree));
  return respond(c, { headers, readBody: () => encodeCar(cid, sent) });
}

/** Yields `path`, whose last block is the root, then the requested blocks below it. */
async function* walkFrom(readBlock: ReadBlock, path: readonly Block[], tree: TreeRequest): AsyncGenerator<Block> {
  const walker = createTreeWalker(readBlock);
  for (const block of path) yield* walker.pass(block);
  const root = path.at(-1);
  if (root) yield* walker.walk(root.cid, tree.scope, tree.bytes);
}

async function* encodeCar(root: CID, blocks: AsyncIterable<Block>): AsyncGenerator<Uint8Array> {
  yield encodeHeader([root]);
  for await (const block of blocks) {
    yield encodeBlockHead(block);
    yield block.bytes;
  }
}

function createEtag(cid: CID, names: readonly string[], tree: TreeRequest): string {
  const { scope, bytes } = tree;
  const request = JSON.stringify([names, bytes?.from, bytes?.to]);
  const digest = createHash("sha256").update(request).digest("hex").slice(0, 16);
  return `W/"${cid}.car.${scope}.${digest}"`;
}
