import { type BlockId, readBlockId, readVarint } from "./block-id.ts";

// Decodes blocks of DAG-PB and the UnixFS data in them: https://ipld.io/specs/codecs/dag-pb/spec/ and
// https://specs.ipfs.tech/unixfs/. Encoding, for content ids, is in cid/dag-pb.ts.

/** A link from a folder, or from a file, whose links have no names. */
export interface FolderLink {
  id: BlockId;
  name: string;
  /** Bytes of all blocks below it, as the folder states it. */
  treeBytes: number | undefined;
}

/** A part of a file, in its own block. */
export interface FilePart {
  id: BlockId;
  /** Bytes of the file. */
  size: number;
}

/** A file, or a part of one: its content is `data`, then that of `parts`. */
export interface FileNode {
  kind: "file";
  /** Bytes of the file. */
  size: number;
  data: Uint8Array;
  parts: readonly FilePart[];
}

/** A folder in one block. */
interface FolderNode {
  kind: "folder";
  links: readonly FolderLink[];
}

/** A part of a folder in a hash array mapped trie: names start with the position in it, in hex. */
export interface ShardNode {
  kind: "shard";
  links: readonly FolderLink[];
  /** How many positions it has. */
  fanout: number;
}

/** What a block holds. */
export type DagNode = FileNode | FolderNode | ShardNode | { kind: "symlink" };

/** UnixFS types by their number; metadata (3) was never used. */
const RAW = 0;
const FOLDER = 1;
const FILE = 2;
const SYMLINK = 4;
const SHARD = 5;

/** Fanouts that a shard may have: names of positions have as many hex digits as the largest one. */
const MAX_FANOUT = 1024;

const NO_BYTES = new Uint8Array(0);
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** Decodes a block; returns `undefined` if it is neither a file nor a folder, or malformed. */
export function decodeNode(codec: BlockId["codec"], block: Uint8Array): DagNode | undefined {
  if (codec === "raw") return { kind: "file", size: block.length, data: block, parts: [] };
  const fields = readProtobuf(block);
  if (!fields) return undefined;
  const links: FolderLink[] = [];
  let unixFs: Uint8Array | undefined;
  for (const field of fields) {
    if (!("bytes" in field)) return undefined;
    if (field.number === 1) unixFs = field.bytes;
    if (field.number !== 2) continue;
    const link = decodeLink(field.bytes);
    if (!link) return undefined;
    links.push(link);
  }
  return unixFs && decodeUnixFs(unixFs, links);
}

function decodeLink(bytes: Uint8Array): FolderLink | undefined {
  const fields = readProtobuf(bytes);
  const hash = fields && findBytes(fields, 1);
  const id = hash && readBlockId(hash);
  return id && { id, name: utf8.decode(findBytes(fields, 2)), treeBytes: findNumber(fields, 3) };
}

function decodeUnixFs(bytes: Uint8Array, links: readonly FolderLink[]): DagNode | undefined {
  const fields = readProtobuf(bytes);
  if (!fields) return undefined;
  const data = findBytes(fields, 2) ?? NO_BYTES;
  switch (findNumber(fields, 1)) {
    case RAW:
    case FILE:
      return toFile(fields, data, links);
    case FOLDER:
      return { kind: "folder", links };
    case SHARD: {
      const fanout = findNumber(fields, 6) ?? 0;
      if (fanout < 2 || fanout > MAX_FANOUT || !Number.isInteger(Math.log2(fanout))) return undefined;
      return { kind: "shard", links, fanout };
    }
    case SYMLINK:
      return { kind: "symlink" };
    default:
      return undefined;
  }
}

function toFile(
  fields: readonly ProtobufField[],
  data: Uint8Array,
  links: readonly FolderLink[],
): FileNode | undefined {
  const sizes = readSizes(fields);
  if (!sizes || sizes.length !== links.length) return undefined;
  const parts = links.map(({ id }, at) => ({ id, size: sizes[at] ?? 0 }));
  const size = parts.reduce((sum, part) => sum + part.size, data.length);
  const stated = findNumber(fields, 3) ?? size;
  if (stated !== size || !Number.isSafeInteger(size)) return undefined;
  return { kind: "file", size, data, parts };
}

/** Reads the sizes of a file's parts, one to a field or packed into one. */
function readSizes(fields: readonly ProtobufField[]): number[] | undefined {
  const sizes: number[] = [];
  for (const field of fields) {
    if (field.number !== 4) continue;
    if ("value" in field) {
      sizes.push(field.value);
      continue;
    }
    for (let at = 0; at < field.bytes.length; ) {
      const size = readVarint(field.bytes, at);
      if (!size) return undefined;
      sizes.push(size.value);
      at = size.end;
    }
  }
  return sizes;
}

function findBytes(fields: readonly ProtobufField[], number: number): Uint8Array | undefined {
  const field = fields.find((one) => one.number === number);
  return field && "bytes" in field ? field.bytes : undefined;
}

function findNumber(fields: readonly ProtobufField[], number: number): number | undefined {
  const field = fields.find((one) => one.number === number);
  return field && "value" in field ? field.value : undefined;
}

/** A field of a protobuf message: a number, or bytes. */
type ProtobufField = { number: number; value: number } | { number: number; bytes: Uint8Array };

const VARINT = 0;
const FIXED_64 = 1;
const BYTES = 2;
const FIXED_32 = 5;

/** Bytes of the types that have a fixed length, which none of the fields read here has. */
const FIXED_BYTES: ReadonlyMap<number, number> = new Map([
  [FIXED_64, 8],
  [FIXED_32, 4],
]);

/** Reads the fields of a protobuf message in order; returns `undefined` if it is malformed. */
function readProtobuf(message: Uint8Array): ProtobufField[] | undefined {
  const fields: ProtobufField[] = [];
  for (let at = 0; at < message.length; ) {
    const tag = readVarint(message, at);
    if (!tag) return undefined;
    const number = Math.floor(tag.value / 8);
    const type = tag.value % 8;
    const fixed = FIXED_BYTES.get(type);
    if (fixed !== undefined) {
      at = tag.end + fixed;
      if (at > message.length) return undefined;
      continue;
    }
    const head = type === VARINT || type === BYTES ? readVarint(message, tag.end) : undefined;
    if (!head) return undefined;
    if (type === VARINT) {
      fields.push({ number, value: head.value });
      at = head.end;
      continue;
    }
    at = head.end + head.value;
    if (at > message.length) return undefined;
    fields.push({ number, bytes: message.subarray(head.end, at) });
  }
  return fields;
}
