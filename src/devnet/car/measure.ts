import type { CID } from "multiformats/cid";
import { Refusal } from "../http/json.ts";
import type { ReadBlock } from "./blocks.ts";
import type { DagNode } from "./dag-node.ts";

/** Blocks below one another in the deepest tree that is taken. */
const MAX_DEPTH = 64;

/** Blocks in the largest tree that is taken, each counted as often as it is used. */
const MAX_BLOCKS = 1_000_000;

/** What a block and all below it come to, where each block counts as often as it is used. */
export interface Measure {
  kind: DagNode["kind"];
  /** Bytes of content. */
  bytes: number;
  blocks: number;
  /** Levels below its own. */
  height: number;
}

/**
 * Makes a function that measures trees. Each block is read once however often it is used: a few kilobytes can stand for
 * more files than there are atoms.
 *
 * @throws Refusal 400 for a tree that is malformed, too deep or too large.
 */
export function createMeasurer(readBlock: ReadBlock): (root: CID) => Promise<Measure> {
  const known = new Map<string, Measure>();

  async function measure(cid: CID, depth: number): Promise<Measure> {
    const key = cid.toV1().toString();
    if (depth > MAX_DEPTH) throw tooDeep();
    const found = known.get(key) ?? (await measureNode((await readBlock(cid)).node, depth));
    known.set(key, found);
    if (depth + found.height > MAX_DEPTH) throw tooDeep();
    return found;
  }

  async function measureNode(node: DagNode, depth: number): Promise<Measure> {
    const sum: Measure = { kind: node.kind, bytes: 0, blocks: 1, height: 0 };
    if (node.kind === "file") sum.bytes = node.bytes.byteLength;
    const links = node.kind === "file" ? node.parts.map((cid) => ({ name: "", cid })) : node.entries;
    for (const { name, cid } of links) {
      const below = await measure(cid, depth + 1);
      // what has no name is more of the same file or folder
      if (name === "" && below.kind !== node.kind) throw new Refusal(400, `Malformed ${node.kind}`);
      sum.bytes += below.bytes;
      sum.blocks += below.blocks;
      sum.height = Math.max(sum.height, below.height + 1);
      if (sum.blocks > MAX_BLOCKS) throw new Refusal(400, "Too many files, folders and blocks in one archive");
    }
    return sum;
  }

  return (root) => measure(root, 0);
}

function tooDeep(): Refusal {
  return new Refusal(400, "Nested too deeply");
}
