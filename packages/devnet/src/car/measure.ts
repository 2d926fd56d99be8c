import type { CID } from "multiformats/cid";
import { Refusal } from "../http/json.ts";
import type { DagNode, ReadNode } from "./read-node.ts";

/** Maximum levels below a root. */
const MAX_DEPTH = 64;

/** Maximum blocks below all measured roots; a block counts each time it is linked. */
const MAX_BLOCKS = 1_000_000;

/** Size of the tree below a block; a block counts each time it is linked. */
export interface Measure {
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
export function createMeasurer(readNode: ReadNode): (root: CID) => Promise<Measure> {
  const known = new Map<string, Measure>();

  async function measure(cid: CID, depth: number): Promise<Measure> {
    const key = cid.toV1().toString();
    if (depth > MAX_DEPTH) throw tooDeep();
    const found = known.get(key) ?? (await measureNode(await readNode(cid), depth));
    known.set(key, found);
    if (depth + found.height > MAX_DEPTH) throw tooDeep();
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
      if (sum.blocks > MAX_BLOCKS) throw tooLarge();
    }
    return sum;
  }

  let total = 0;
  return async (root) => {
    const measured = await measure(root, 0);
    total += measured.blocks;
    if (total > MAX_BLOCKS) throw tooLarge();
    return measured;
  };
}

function tooLarge(): Refusal {
  return new Refusal(400, "Too many files, folders and blocks in one archive");
}

function tooDeep(): Refusal {
  return new Refusal(400, "Nested too deeply");
}
