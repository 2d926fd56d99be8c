import { BlackHoleBlockstore } from "blockstore-core";
import { importer } from "ipfs-unixfs-importer";
import { fixedSize } from "ipfs-unixfs-importer/chunker";
import { balanced } from "ipfs-unixfs-importer/layout";

/** How files are cut; the defaults are Kubo's own. */
export interface Chunking {
  /** Bytes per leaf. Default 262,144. */
  chunkBytes?: number;
  /** Links per node of the tree. Default 174. */
  links?: number;
}

/** How content becomes a tree of blocks. */
export interface ImportShape extends Chunking {
  cidVersion: 0 | 1;
  /** Puts everything into one more folder without a name. */
  wrap: boolean;
}

/** A file (with content) or an empty folder to import, in the order of the tree's making. */
export interface Candidate {
  path: string;
  content?: AsyncIterable<Uint8Array>;
}

/** A node of the finished tree. */
export interface Imported {
  /** Path from the root; empty for the folder that wraps everything. */
  path: string;
  cid: string;
  /** Bytes of all blocks below it: what Kubo calls its size. */
  treeBytes: number;
  isFolder: boolean;
}

/**
 * Computes the content ids of a tree in one pass over its files, one after another: files come out as
 * they end, then the folders, each after what is in it.
 */
export async function* importTree(candidates: AsyncIterable<Candidate>, shape: ImportShape): AsyncGenerator<Imported> {
  const entries = importer(candidates, new BlackHoleBlockstore(), {
    cidVersion: shape.cidVersion,
    rawLeaves: shape.cidVersion === 1,
    wrapWithDirectory: shape.wrap,
    chunker: fixedSize({ chunkSize: shape.chunkBytes ?? 262_144 }),
    layout: balanced({ maxChildrenPerNode: shape.links ?? 174 }),
    // the next file of a multipart body arrives only when this one has been read
    fileImportConcurrency: 1,
  });
  for await (const { cid, path, size, unixfs } of entries) {
    yield { path: path ?? "", cid: cid.toString(), treeBytes: Number(size), isFolder: unixfs?.isDirectory() ?? false };
  }
}
