import type { CID } from "multiformats/cid";
import { toBlockKey } from "../content/store.ts";
import { type ReadBlock, readNode, type TreeNode } from "../content/tree.ts";
import { Refusal } from "../http/json.ts";

/** Maximum levels below a root. */
const MAX_DEPTH = 64;

/** Maximum blocks below all roots; a block counts each time it is linked. */
const MAX_BLOCKS = 1_000_000;

const tooLarge = () => new Refusal(400, "Too many files, folders and blocks in one archive");

/** Size of the tree below a block; a block counts each time it is linked. */
interface Tree {
  cid: CID;
  kind: TreeNode["kind"];
  /** Bytes of content. */
  bytes: number;
  blocks: number;
  /** Levels below this one. */
  height: number;
  /** Bytes of all blocks, as the links state them. */
  treeBytes: number;
}

/**
 * Checks and measures the trees below an archive's roots: a few kilobytes that link to the same blocks again and again
 * can represent more files than there are atoms. Reads each block once, however often it is linked. Returns the trees, and
 * the keys of their blocks, each after those below it.
 *
 * @throws Refusal 400 for a tree that is malformed or too deep, and for trees that are too large together.
 */
export async function measureTrees(roots: readonly CID[], readBlock: ReadBlock) {
  const known = new Map<string, Tree>();
  const blocks = new Set<string>();

  async function measure(cid: CID, depth: number): Promise<Tree> {
    const key = cid.toV1().toString();
    if (depth > MAX_DEPTH) throw new Refusal(400, "Nested too deeply");
    const tree = known.get(key) ?? (await measureNode(cid, await readNode(readBlock, cid), depth));
    known.set(key, tree);
    blocks.add(toBlockKey(cid));
    if (depth + tree.height > MAX_DEPTH) throw new Refusal(400, "Nested too deeply");
    return tree;
  }

  async function measureNode(cid: CID, { kind, data, links, treeBytes }: TreeNode, depth: number): Promise<Tree> {
    const tree: Tree = { cid, kind, bytes: data.byteLength, blocks: 1, height: 0, treeBytes };
    for (const { cid: linked, name, size, isShard } of links) {
      if (kind === "folder" && !isShard) checkName(name);
      const below = await measure(linked, depth + 1);
      // readers of a part of the file find its blocks by these sizes
      if (kind === "file" && (below.kind !== "file" || size !== below.bytes)) throw new Refusal(400, "Malformed file");
      if (isShard && below.kind !== "folder") throw new Refusal(400, "Malformed folder");
      tree.bytes += below.bytes;
      tree.blocks += below.blocks;
      tree.height = Math.max(tree.height, below.height + 1);
      if (tree.blocks > MAX_BLOCKS) throw tooLarge();
    }
    return tree;
  }

  const trees: Tree[] = [];
  let total = 0;
  for (const cid of roots) {
    const tree = await measure(cid, 0);
    total += tree.blocks;
    if (total > MAX_BLOCKS) throw tooLarge();
    trees.push(tree);
  }
  return { trees, blocks };
}

/** Refuses names that no path could lead to. */
function checkName(name: string): void {
  if (name === "" || name === "." || name === ".." || name.includes("/") || name.includes("\0")) {
    throw new Refusal(400, "Invalid file name");
  }
}
