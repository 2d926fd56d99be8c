import type { FileHandle } from "node:fs/promises";
import * as dagPb from "@ipld/dag-pb";
import { exporter, type UnixFSDirectory, type UnixFSFile } from "ipfs-unixfs-exporter";
import type { CID } from "multiformats/cid";
import { identity } from "multiformats/hashes/identity";
import { Refusal } from "../http/json.ts";
import { type CarIndex, toBlockKey } from "./read-car.ts";

/** An entry of a folder. */
interface FolderEntry {
  name: string;
  cid: CID;
}

/** A decoded block. */
export type DagNode = (FileNode | FolderNode) & {
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
  entries(): AsyncIterable<FolderEntry>;
}

/**
 * Reads and decodes the block of a content id. Blocks that are not dag-pb are files of the block's own bytes.
 *
 * @throws Refusal 400 for a missing block, malformed UnixFS, and anything that is neither a file nor a folder.
 */
export type ReadNode = (cid: CID) => Promise<DagNode>;

/** Creates a reader of an archive's blocks, which also reads blocks inlined in their content ids. */
export function createNodeReader({ blocks }: CarIndex, archive: FileHandle, signal: AbortSignal): ReadNode {
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
      if (requested.code !== dagPb.code) throw malformedFolder();
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

async function readUnixFs(
  cid: CID,
  get: (cid: CID) => AsyncGenerator<Uint8Array>,
): Promise<UnixFSFile | UnixFSDirectory> {
  const entry = await exporter(cid, { get }).catch(() => undefined);
  if (entry?.type === "file" || entry?.type === "directory") return entry;
  throw new Refusal(400, `Block ${cid} is no UnixFS`);
}

/** Refuses names that no path could lead to. */
async function* listEntries(folder: UnixFSDirectory, signal: AbortSignal): AsyncGenerator<FolderEntry> {
  try {
    for await (const { name, cid } of folder.entries()) {
      if (name === "" || name === "." || name === ".." || name.includes("/") || name.includes("\0")) {
        throw new Refusal(400, "Invalid file name");
      }
      yield { name, cid };
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof Refusal ? error : malformedFolder();
  }
}

function malformedFolder(): Refusal {
  return new Refusal(400, "Malformed folder");
}
