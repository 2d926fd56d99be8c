import type { FileHandle } from "node:fs/promises";
import { open } from "node:fs/promises";
import { join } from "node:path";
import type { CID } from "multiformats/cid";
import * as raw from "multiformats/codecs/raw";
import { identity } from "multiformats/hashes/identity";
import type { Folder } from "../content/store.ts";
import type { TreeFile } from "../content/tree-file.ts";
import { Refusal } from "../http/json.ts";
import type { Entry, Received } from "../upload/received.ts";
import { createMeasurer } from "./measure.ts";
import type { CarIndex } from "./read-car.ts";
import { createNodeReader, type DagNode, type ReadNode } from "./read-node.ts";

/** Where an archive is unpacked, and its limits. */
interface UnpackOptions {
  spoolDir: string;
  /** Receives the blocks that the files do not contain as they are. */
  tree: TreeFile;
  /** Name of the only root; several roots are named by their content ids. */
  name: string;
  /** Maximum bytes of content. */
  allowance: number;
  signal: AbortSignal;
}

/**
 * Unpacks the files and folders below an archive's roots. Each file is spooled once, however many folders link to it;
 * only the roots are entries.
 *
 * @throws Refusal 400 for blocks that are missing, malformed or too many; 403 for too much content.
 */
export async function unpack(
  index: CarIndex,
  archive: FileHandle,
  { spoolDir, tree, name, allowance, signal }: UnpackOptions,
): Promise<Received> {
  const readNode = createNodeReader(index, archive, signal);
  const roots = [...new Map(index.roots.map((cid) => [toContentKey(cid), cid])).values()];
  const entries: Entry[] = [];
  // reads each block once
  const measure = createMeasurer(keepBlocks(readNode, tree));
  let remaining = allowance;
  for (const cid of roots) {
    const { kind, bytes, treeBytes } = await measure(cid);
    remaining -= bytes;
    if (remaining < 0) throw new Refusal(403, "Data limit exceeded");
    const path = roots.length === 1 ? name : cid.toString();
    entries.push({ path, cid: cid.toString(), treeBytes, isFolder: kind === "folder", bytes, mimeType: null });
  }

  const files = new Map<string, string>();
  const folders = new Map<string, Folder>();
  const visited = new Set<string>();
  async function visit(cid: CID): Promise<void> {
    const key = toContentKey(cid);
    if (visited.has(key)) return;
    visited.add(key);
    const node = await readNode(cid);
    if (node.kind === "file") {
      const spooled = join(spoolDir, String(files.size));
      files.set(key, spooled);
      await writeChunks(readFileContent(node, readNode), spooled);
      return;
    }
    const children = new Map<string, CID>();
    for await (const entry of node.entries()) children.set(entry.name, entry.cid);
    for (const child of children.values()) await visit(child);
    folders.set(key, Object.fromEntries([...children].map(([childName, child]) => [childName, toContentKey(child)])));
  }
  for (const cid of roots) await visit(cid);
  return { entries, files, folders };
}

/** Adds each block that is read to `tree`, unless it is part of a file as it is, or inlined in its content id. */
function keepBlocks(readNode: ReadNode, tree: TreeFile): ReadNode {
  return async (cid) => {
    const node = await readNode(cid);
    const isElsewhere = cid.code === raw.code || cid.multihash.code === identity.code;
    if (!isElsewhere) await tree.add({ cid, bytes: node.block });
    return node;
  };
}

/**
 * Yields a file's bytes block by block. The exporter's own `content()` buffers a whole file if the disk is slower, and
 * ends the process by an unhandled rejection if a read below the root fails.
 */
async function* readFileContent(node: DagNode, readNode: ReadNode): AsyncGenerator<Uint8Array> {
  if (node.kind !== "file") return;
  yield node.bytes;
  for (const cid of node.links) yield* readFileContent(await readNode(cid), readNode);
}

async function writeChunks(chunks: AsyncIterable<Uint8Array>, path: string): Promise<void> {
  const file = await open(path, "w");
  try {
    for await (const chunk of chunks) await file.writeFile(chunk);
  } finally {
    await file.close();
  }
}

function toContentKey(cid: CID): string {
  return cid.toV1().toString();
}
