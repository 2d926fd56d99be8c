import { sha256 } from "#platform";
import { concatBytes } from "../../base/streams/bytes.ts";
import { type CidVersion, encodeCid } from "./content-id.ts";

/** Builds the balanced tree over a file's leaves, from left to right; holds the links of one node per level. */
export function createTree(version: CidVersion, width: number) {
  /** Finished parts that have no parent yet, by height above the leaves. */
  const levels: Link[][] = [];

  async function add(level: number, link: Link): Promise<void> {
    levels[level] ??= [];
    const pending = levels[level];
    pending.push(link);
    if (pending.length < width) return;
    levels[level] = [];
    await add(level + 1, await createParent(pending));
  }

  async function createParent(parts: readonly Link[]): Promise<Link> {
    const block = encodeFileNode(parts);
    return {
      cid: encodeCid(version, "dag-pb", await sha256(block)),
      treeBytes: parts.reduce((sum, { treeBytes }) => sum + treeBytes, block.length),
      fileBytes: parts.reduce((sum, { fileBytes }) => sum + fileBytes, 0),
    };
  }

  return {
    /** Adds the next leaf. */
    add: (leaf: Link) => add(0, leaf),
    /** Returns the root. Requires at least one leaf; nothing may be added afterwards. */
    async finish(): Promise<Link> {
      for (let level = 0; ; level++) {
        const parts = levels[level] ?? [];
        const [only] = parts;
        if (level === levels.length - 1 && parts.length === 1 && only) return only;
        levels[level] = [];
        if (parts.length > 0) await add(level + 1, await createParent(parts));
      }
    },
  };
}

// Encodes the few kinds of DAG-PB blocks, and of the UnixFS data in them, that files and folders need. Fields are
// in the order that every implementation writes: the links, then the data.

/** One part of a file or folder, as its parent links to it. */
export interface Link {
  /** Content id, in bytes. */
  cid: Uint8Array;
  /** Bytes of all blocks from here down. */
  treeBytes: number;
  /** Bytes of the file from here down; 0 for a folder. */
  fileBytes: number;
}

/** A {@link Link} from a folder. */
export interface NamedLink extends Link {
  /** UTF-8. */
  name: Uint8Array;
}

const NO_NAME = new Uint8Array(0);

/** UnixFS `Type: File` and `Type: Directory`. */
const FILE = [0x08, 0x02];
const FOLDER = [0x08, 0x01];

/** Encodes what precedes and follows `size` bytes of a file in a leaf that is not raw. */
export function encodeLeafFrame(size: number) {
  const foot = Uint8Array.of(0x18, ...encodeVarint(size));
  const data = size === 0 ? FILE : [...FILE, 0x12, ...encodeVarint(size)];
  return { head: Uint8Array.of(0x0a, ...encodeVarint(data.length + size + foot.length), ...data), foot };
}

/** Encodes the node over these parts of a file. */
function encodeFileNode(parts: readonly Link[]): Uint8Array {
  const data = [...FILE, 0x18, ...encodeVarint(parts.reduce((sum, { fileBytes }) => sum + fileBytes, 0))];
  for (const { fileBytes } of parts) data.push(0x20, ...encodeVarint(fileBytes));
  const links = parts.map((part) => ({ ...part, name: NO_NAME }));
  return encodeNode(links, data);
}

/** Encodes a folder of these entries, which may be in any order. */
export function encodeFolderNode(entries: readonly NamedLink[]): Uint8Array {
  const sorted = [...entries].sort((a, b) => compareBytes(a.name, b.name));
  return encodeNode(sorted, FOLDER);
}

function encodeNode(links: readonly NamedLink[], data: readonly number[]): Uint8Array {
  const fields = links.map(({ cid, name, treeBytes }) => {
    const size = [0x18, ...encodeVarint(treeBytes)];
    return encodeField(0x12, concatBytes([encodeField(0x0a, cid), encodeField(0x12, name), size]));
  });
  return concatBytes([...fields, encodeField(0x0a, data)]);
}

function encodeField(tag: number, bytes: ArrayLike<number>): Uint8Array {
  return concatBytes([[tag, ...encodeVarint(bytes.length)], bytes]);
}

/** Encodes a number below 2^53 in little-endian base 128. */
function encodeVarint(value: number): number[] {
  const bytes: number[] = [];
  let left = value;
  for (; left >= 0x80; left = Math.floor(left / 0x80)) bytes.push((left % 0x80) | 0x80);
  return [...bytes, left];
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  for (let at = 0; at < Math.min(a.length, b.length); at++) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
