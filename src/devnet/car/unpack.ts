import type { FileHandle } from "node:fs/promises";
import { open } from "node:fs/promises";
import { join } from "node:path";
import type { CID } from "multiformats/cid";
import { Refusal } from "../http/json.ts";
import type { Received } from "../upload/receive.ts";
import { type DagNode, type ReadNode, readNode } from "./dag-node.ts";
import { blockKey, type CarIndex, inlineBlock } from "./read-car.ts";

/** Blocks below one another in the deepest tree that is followed. */
const DEEPEST = 64;

/**
 * Makes the files and folders that an archive's roots stand for, each file spooled to a file of its own.
 *
 * @param archive the archive itself.
 * @param name of the only root; several are named by their content ids.
 * @param allowance bytes of files that may come out: blocks may be used many times over.
 * @throws Refusal 400 for blocks that are missing or malformed, 403 for too much content.
 */
export async function unpack(
  { roots, blocks }: CarIndex,
  archive: FileHandle,
  spoolDir: string,
  name: string,
  allowance: number,
): Promise<Received> {
  const received: Received = { files: [], folders: [] };
  let left = allowance;

  async function read(cid: CID): Promise<ReadNode> {
    const inline = inlineBlock(cid);
    if (inline) return readNode(cid, inline);
    const place = blocks.get(blockKey(cid));
    if (!place) throw new Refusal(400, `Block ${cid} is missing`);
    const block = new Uint8Array(place.length);
    await archive.read(block, 0, place.length, place.offset);
    return readNode(cid, block);
  }

  async function* contentOf(node: DagNode, depth: number): AsyncGenerator<Uint8Array> {
    if (node.kind === "folder" || depth > DEEPEST) throw new Refusal(400, "Malformed file");
    left -= node.bytes.byteLength;
    if (left < 0) throw new Refusal(403, "Data limit exceeded");
    yield node.bytes;
    for (const part of node.parts) yield* contentOf((await read(part)).node, depth + 1);
  }

  async function takeEntries(node: DagNode, path: string, depth: number): Promise<void> {
    if (node.kind === "file" || depth > DEEPEST) throw new Refusal(400, "Malformed folder");
    for (const { name: below, cid } of node.entries) {
      if (below === "") await takeEntries((await read(cid)).node, path, depth + 1);
      else await take(cid, `${path}/${below}`, depth + 1);
    }
  }

  async function take(cid: CID, path: string, depth: number): Promise<void> {
    const { node, treeBytes } = await read(cid);
    const imported = { path, cid: cid.toString(), treeBytes, isFolder: node.kind === "folder" };
    if (node.kind === "folder") {
      await takeEntries(node, path, depth);
      received.folders.push(imported);
      return;
    }
    const spooled = join(spoolDir, String(received.files.length));
    const bytes = await write(contentOf(node, depth), spooled);
    received.files.push({ ...imported, spooled, bytes, mimeType: null });
  }

  for (const root of roots) await take(root, roots.length === 1 ? name : root.toString(), 0);
  return received;
}

async function write(content: AsyncIterable<Uint8Array>, path: string): Promise<number> {
  const file = await open(path, "w");
  let bytes = 0;
  try {
    for await (const chunk of content) {
      await file.writeFile(chunk);
      bytes += chunk.byteLength;
    }
    return bytes;
  } finally {
    await file.close();
  }
}
