import { UnixFS } from "ipfs-unixfs";
import { importer, type WritableStorage } from "ipfs-unixfs-importer";
import { fixedSize } from "ipfs-unixfs-importer/chunker";
import { balanced } from "ipfs-unixfs-importer/layout";
import type { CID } from "multiformats/cid";
import { type Block, encodeVarint } from "./car.ts";

/** How files are split into chunks; the defaults are Kubo's. */
export interface Chunking {
  /** Bytes per leaf. Default 262,144. */
  chunkBytes?: number;
  /** Links per node of the tree. Default 174. */
  links?: number;
}

/** How content is encoded as a tree of blocks. */
export interface ImportShape extends Chunking {
  cidVersion: 0 | 1;
  /** Wraps everything in an unnamed folder. */
  wrap: boolean;
}

/** A file (with content) or an empty folder to import. */
export interface Candidate {
  path: string;
  content?: AsyncIterable<Uint8Array>;
}

/** A file or folder of the finished tree. */
export interface Imported {
  /** Path from the root; empty for the wrapping folder. */
  path: string;
  cid: string;
  /** Bytes of a file's content. */
  bytes: number;
  /** Bytes of all its blocks, which Kubo calls its size. */
  treeBytes: number;
  isFolder: boolean;
}

/**
 * Computes the content ids of a tree in one sequential pass over its files: yields each file when it ends, then the
 * folders, each after its entries.
 *
 * @param onBlock receives all blocks, those below others first.
 */
export async function* importTree(
  candidates: AsyncIterable<Candidate>,
  shape: ImportShape,
  onBlock: (block: Block) => Promise<void> = async () => {},
): AsyncGenerator<Imported> {
  mendSizes();
  const store = {
    async put(cid: CID, bytes: Uint8Array) {
      await onBlock({ cid, bytes });
      return cid;
    },
  };
  const entries = importer(candidates, store as WritableStorage, {
    cidVersion: shape.cidVersion,
    rawLeaves: shape.cidVersion === 1,
    wrapWithDirectory: shape.wrap,
    chunker: fixedSize({ chunkSize: shape.chunkBytes ?? 262_144 }),
    layout: balanced({ maxChildrenPerNode: shape.links ?? 174 }),
    // the next file of a multipart body arrives only after this one has been read
    fileImportConcurrency: 1,
  });
  for await (const { cid, path, size, unixfs } of entries) {
    const isFolder = unixfs?.isDirectory() ?? false;
    // a leaf that is not wrapped has no description
    const bytes = Number(isFolder ? 0 : (unixfs?.fileSize() ?? size));
    yield { path: path ?? "", cid: cid.toString(), bytes, treeBytes: Number(size), isFolder };
  }
}

/** Fields of UnixFS's protobuf message, each with its wire type, and the value of the first for a file. */
const TYPE = 0x08;
const FILE = 2;
const DATA = 0x12;
const FILE_SIZE = 0x18;
const BLOCK_SIZE = 0x20;

let isMended = false;

/**
 * Makes `ipfs-unixfs` encode all sizes: its version 13.1.1 writes sizes from 2 GiB to 4 GiB as whatever its memory
 * contains, so that files of these sizes have random content ids.
 */
export function mendSizes(): void {
  if (isMended) return;
  isMended = true;
  const { marshal } = UnixFS.prototype;
  UnixFS.prototype.marshal = function (this: UnixFS) {
    const sizes = [this.fileSize() ?? 0n, ...this.blockSizes];
    return this.type === "file" && sizes.some(isMisencoded) ? encodeFile(this) : marshal.call(this);
  };
}

function isMisencoded(size: bigint): boolean {
  return size >= 2n ** 31n && size < 2n ** 32n;
}

function encodeFile(file: UnixFS): Uint8Array<ArrayBuffer> {
  const { data, blockSizes } = file;
  const parts: Uint8Array[] = [Uint8Array.of(TYPE, FILE)];
  if (data && data.length > 0) parts.push(Uint8Array.of(DATA), encodeVarint(data.length), data);
  parts.push(Uint8Array.of(FILE_SIZE), encodeVarint(Number(file.fileSize())));
  for (const size of blockSizes) parts.push(Uint8Array.of(BLOCK_SIZE), encodeVarint(Number(size)));
  return new Uint8Array(Buffer.concat(parts));
}
