import { sha256 } from "#platform";
import { type CidVersion, encodeCid } from "./content-id.ts";
import { encodeFileNode, type Link } from "./dag-pb.ts";

/** Builds the balanced tree over the leaves of one file, from left to right. */
export interface FileTree {
  /** Adds the next leaf. */
  add(leaf: Link): Promise<void>;
  /** Returns the root. Requires at least one leaf; nothing may be added afterwards. */
  finish(): Promise<Link>;
}

/** Holds the links of one node per level, so that memory does not grow with the file. */
export function createTree(version: CidVersion, width: number): FileTree {
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
    add: (leaf) => add(0, leaf),
    async finish() {
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
