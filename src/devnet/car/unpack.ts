import type { FileHandle } from "node:fs/promises";
import { open } from "node:fs/promises";
import { join } from "node:path";
import type { CID } from "multiformats/cid";
import type { Folder } from "../content/store.ts";
import { Refusal } from "../http/json.ts";
import type { Entry, Received } from "../upload/received.ts";
import { blocksOf, type ReadBlock } from "./blocks.ts";
import type { DagNode } from "./dag-node.ts";
import { createMeasurer } from "./measure.ts";
import type { CarIndex } from "./read-car.ts";

/** Where an archive is unpacked, and what limits it. */
interface Unpacking {
  spoolDir: string;
  /** Name of the only root; several are named by their content ids. */
  name: string;
  /** Bytes of content that may come out. */
  allowance: number;
  /** Ends it. */
  gone: AbortSignal;
}

/**
 * Makes the files and folders that an archive's roots stand for, each file spooled to a file of its own, once however
 * many folders hold it. Only the roots are entries.
 *
 * @param archive the archive itself.
 * @throws Refusal 400 for blocks that are missing or malformed, or stand for too many; 403 for too much content.
 */
export async function unpack(
  index: CarIndex,
  archive: FileHandle,
  { spoolDir, name, allowance, gone }: Unpacking,
): Promise<Received> {
  const readBlock = blocksOf(index, archive, gone);
  const roots = [...new Map(index.roots.map((cid) => [keyOf(cid), cid])).values()];
  const entries: Entry[] = [];
  const measure = createMeasurer(readBlock);
  let left = allowance;
  for (const cid of roots) {
    const { kind, bytes } = await measure(cid);
    left -= bytes;
    if (left < 0) throw new Refusal(403, "Data limit exceeded");
    const path = roots.length === 1 ? name : cid.toString();
    const { treeBytes } = await readBlock(cid);
    entries.push({ path, cid: cid.toString(), treeBytes, isFolder: kind === "folder", bytes, mimeType: null });
  }

  const files = new Map<string, string>();
  const folders = new Map<string, Folder>();
  const taken = new Set<string>();
  async function take(cid: CID): Promise<void> {
    const key = keyOf(cid);
    if (taken.has(key)) return;
    taken.add(key);
    const { node } = await readBlock(cid);
    if (node.kind === "file") {
      const spooled = join(spoolDir, String(files.size));
      files.set(key, spooled);
      await write(contentOf(node, readBlock), spooled);
      return;
    }
    const held = new Map<string, CID>();
    for await (const [below, child] of entriesOf(node, readBlock)) held.set(below, child);
    for (const child of held.values()) await take(child);
    folders.set(key, Object.fromEntries([...held].map(([below, child]) => [below, keyOf(child)])));
  }
  for (const cid of roots) await take(cid);
  return { entries, files, folders };
}

/** The bytes of a file, block by block. */
async function* contentOf(node: DagNode, readBlock: ReadBlock): AsyncGenerator<Uint8Array> {
  if (node.kind !== "file") return;
  yield node.bytes;
  for (const part of node.parts) yield* contentOf((await readBlock(part)).node, readBlock);
}

/** What a folder holds, also where it is split over blocks. */
async function* entriesOf(node: DagNode, readBlock: ReadBlock): AsyncGenerator<[name: string, cid: CID]> {
  if (node.kind !== "folder") return;
  for (const { name, cid } of node.entries) {
    if (name === "") yield* entriesOf((await readBlock(cid)).node, readBlock);
    else yield [name, cid];
  }
}

async function write(content: AsyncIterable<Uint8Array>, path: string): Promise<void> {
  const file = await open(path, "w");
  try {
    for await (const chunk of content) await file.writeFile(chunk);
  } finally {
    await file.close();
  }
}

function keyOf(cid: CID): string {
  return cid.toV1().toString();
}
