import { KEY_NODE_COUNT } from "../config/limits.ts";
import type { KeeplightError } from "../errors/base.ts";
import type { InFlight } from "../http/in-flight.ts";
import { nodesBefore, walkNodes } from "../kavach/each-node.ts";
import type { KeyNodes } from "../kavach/node-client.ts";
import type { NodeAuth } from "../kavach/owner.ts";
import type { KeyShard } from "../kavach/shards/sharing.ts";
import type { KeyRequest } from "./key-request.ts";

/** An uploaded file whose key shards are to be saved. */
export interface UnsavedFile {
  cid: string;
  keyShards: readonly KeyShard[];
  /** The node that has not got its shard yet, nor those after it; past the last when all have. */
  nextNode: number;
}

/** How saving the keys of many files ended. */
export interface Saved {
  /** The same files with the nodes they have got to, in the same order. */
  files: UnsavedFile[];
  /** The first failure, if any. */
  error: KeeplightError | undefined;
}

/**
 * Saves the shards of all files side by side, each file's on its nodes in order. At the first node that
 * fails, no further shard is sent for any file.
 */
export async function saveKeys(
  files: readonly UnsavedFile[],
  options: { nodes: KeyNodes; auth: NodeAuth; requestFor: KeyRequest; onSaved: (shards: number) => void },
): Promise<Saved> {
  const { nodes, auth, requestFor, onSaved } = options;
  let saved = files.reduce((sum, { nextNode }) => sum + nextNode - 1, 0);
  let error: KeeplightError | undefined;
  // What waits for its turn when a node fails is not sent any more.
  const inFlight: InFlight = (task, signal) => nodes.inFlight(() => (error ? Promise.reject(error) : task()), signal);

  const ended = await Promise.all(
    files.map(async (file) => {
      const { cid, keyShards, nextNode } = file;
      const stopped = await walkNodes(
        { ...nodes, inFlight },
        auth,
        nextNode,
        (node) => requestFor(node, { address: auth.address, cid, keyShards }),
        { onDone: () => onSaved(++saved), halted: () => error !== undefined },
      );
      error ??= stopped?.error;
      return { ...file, nextNode: stopped?.node ?? KEY_NODE_COUNT + 1 };
    }),
  );
  return { files: ended, error };
}

/** Whether all nodes have the file's shards. */
export function isSaved({ nextNode }: UnsavedFile): boolean {
  return nextNode > KEY_NODE_COUNT;
}

/** The nodes that have the file's shards. */
export function nodesDone({ nextNode }: UnsavedFile): number[] {
  return nodesBefore(nextNode);
}
