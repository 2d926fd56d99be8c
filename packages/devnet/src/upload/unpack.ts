import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import * as dagPb from "@ipld/dag-pb";
import { exporter, type UnixFSDirectory } from "ipfs-unixfs-exporter";
import type { CID } from "multiformats/cid";
import * as raw from "multiformats/codecs/raw";
import { identity } from "multiformats/hashes/identity";
import { type CarIndex, type TreeFile, toBlockKey } from "../content/car.ts";
import type { Folder } from "../content/store.ts";
import { Refusal } from "../http/json.ts";
import type { Entry, ReceiveContext, Received } from "./received.ts";

/**
 * Unpacks the files and folders below an archive's roots. Each file is spooled once, however many folders link to it;
 * only the roots are entries.
 *
 * @param name - of the only root; several roots are named by their content ids.
 * @throws Refusal 400 for blocks that are missing, malformed or too many; 403 for too much content.
 */
export async function unpack(
  index: CarIndex,
  archive: FileHandle,
  name: string,
  { spoolDir, tree, allowance, signal }: ReceiveContext,
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

/** Maximum levels below a root. */
const MAX_DEPTH = 64;

/** Maximum blocks below all measured roots; a block counts each time it is linked. */
const MAX_BLOCKS = 1_000_000;
const TOO_LARGE = "Too many files, folders and blocks in one archive";

/** Size of the tree below a block; a block counts each time it is linked. */
interface Measure {
  kind: DagNode["kind"];
  /** Bytes of content. */
  bytes: number;
  blocks: number;
  /** Levels below this one. */
  height: number;
  /** Bytes of all blocks, as the links state them. */
  treeBytes: number;
}

/**
 * Creates a function that measures trees before they are unpacked: a few kilobytes that link to the same blocks again
 * and again can represent more files than there are atoms, and the exporter does not bound its work. Reads each block
 * once, however often it is linked.
 *
 * @throws Refusal 400 for a tree that is malformed or too deep, and for trees that are too large together.
 */
function createMeasurer(readNode: ReadNode): (root: CID) => Promise<Measure> {
  const known = new Map<string, Measure>();

  async function measure(cid: CID, depth: number): Promise<Measure> {
    const key = toContentKey(cid);
    if (depth > MAX_DEPTH) throw new Refusal(400, "Nested too deeply");
    const found = known.get(key) ?? (await measureNode(await readNode(cid), depth));
    known.set(key, found);
    if (depth + found.height > MAX_DEPTH) throw new Refusal(400, "Nested too deeply");
    return found;
  }

  async function measureNode(node: DagNode, depth: number): Promise<Measure> {
    const { kind, treeBytes } = node;
    const sum: Measure = { kind, bytes: kind === "file" ? node.bytes.byteLength : 0, blocks: 1, height: 0, treeBytes };
    for (const [index, cid] of node.links.entries()) {
      const below = await measure(cid, depth + 1);
      // readers of a part of the file find its blocks by these sizes
      if (kind === "file" && (below.kind !== "file" || node.sizes[index] !== below.bytes)) {
        throw new Refusal(400, "Malformed file");
      }
      sum.bytes += below.bytes;
      sum.blocks += below.blocks;
      sum.height = Math.max(sum.height, below.height + 1);
      if (sum.blocks > MAX_BLOCKS) throw new Refusal(400, TOO_LARGE);
    }
    return sum;
  }

  let total = 0;
  return async (root) => {
    const measured = await measure(root, 0);
    total += measured.blocks;
    if (total > MAX_BLOCKS) throw new Refusal(400, TOO_LARGE);
    return measured;
  };
}

/** A decoded block. */
type DagNode = (FileNode | FolderNode) & {
  /** Its encoded bytes. */
  block: Uint8Array;
  /** Blocks directly below it. */
  links: readonly CID[];
  /** Bytes of its own block and of all blocks below it, as its links state them. */
  treeBytes: number;
};

/** Its content is `bytes`, then the content of each link. */
interface FileNode {
  kind: "file";
  bytes: Uint8Array;
  /** Bytes of content below each link, as the block states them. */
  sizes: readonly number[];
}

interface FolderNode {
  kind: "folder";
  /** Lists its entries, also those in the blocks of a sharded folder. */
  entries(): AsyncIterable<{ name: string; cid: CID }>;
}

/**
 * Reads and decodes the block of a content id. Blocks that are not dag-pb are files of the block's own bytes.
 *
 * @throws Refusal 400 for a missing block, malformed UnixFS, and anything that is neither a file nor a folder.
 */
type ReadNode = (cid: CID) => Promise<DagNode>;

const MALFORMED_FOLDER = "Malformed folder";

/** Creates a reader of an archive's blocks, which also reads blocks inlined in their content ids. */
function createNodeReader({ blocks }: CarIndex, archive: FileHandle, signal: AbortSignal): ReadNode {
  async function readBlock(cid: CID): Promise<Uint8Array> {
    signal.throwIfAborted();
    if (cid.multihash.code === identity.code) return cid.multihash.digest;
    const location = blocks.get(toBlockKey(cid));
    if (!location) throw new Refusal(400, `Block ${cid} is missing`);
    const block = new Uint8Array(location.length);
    await archive.read(block, 0, location.length, location.offset);
    return block;
  }

  return async (cid) => {
    const block = await readBlock(cid);
    if (cid.code !== dagPb.code) {
      return { kind: "file", block, bytes: block, sizes: [], links: [], treeBytes: block.byteLength };
    }
    const entry = await readUnixFs(cid, async function* get(requested) {
      // the exporter takes a block of any codec for part of a sharded folder, also one that was not measured as such
      if (requested.code !== dagPb.code) throw new Refusal(400, MALFORMED_FOLDER);
      yield requested.equals(cid) ? block : await readBlock(requested);
    });
    const { Links } = entry.node;
    const links = Links.map(({ Hash }) => Hash);
    const treeBytes = Links.reduce((sum, { Tsize }) => sum + (Tsize ?? 0), block.byteLength);
    if (entry.type === "directory") {
      return { kind: "folder", block, entries: () => listEntries(entry, signal), links, treeBytes };
    }
    const { type, data, blockSizes } = entry.unixfs;
    if (type !== "file" && type !== "raw") throw new Refusal(400, `Block ${cid} is a ${type}, which is not taken`);
    return { kind: "file", block, bytes: data ?? new Uint8Array(0), sizes: blockSizes.map(Number), links, treeBytes };
  };
}

async function readUnixFs(cid: CID, get: (cid: CID) => AsyncGenerator<Uint8Array>) {
  const entry = await exporter(cid, { get }).catch(() => undefined);
  if (entry?.type === "file" || entry?.type === "directory") return entry;
  throw new Refusal(400, `Block ${cid} is no UnixFS`);
}

/** Refuses names that no path could lead to. */
async function* listEntries(folder: UnixFSDirectory, signal: AbortSignal) {
  try {
    for await (const { name, cid } of folder.entries()) {
      if (name === "" || name === "." || name === ".." || name.includes("/") || name.includes("\0")) {
        throw new Refusal(400, "Invalid file name");
      }
      yield { name, cid };
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof Refusal ? error : new Refusal(400, MALFORMED_FOLDER);
  }
}
