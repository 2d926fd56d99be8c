import type { KeeplightError } from "../../base/errors/base.ts";
import { ALL_NODES, callNodes } from "../nodes/call-nodes.ts";
import type { KeyNodes, NodeAuth } from "../nodes/node-client.ts";
import { queueOwnerCall } from "../nodes/owner-call.ts";
import type { KeyShard } from "../shards/sharing.ts";
import type { KeyRequest, SavingRule } from "./key-request.ts";

/** An uploaded file whose key shards are to be saved. */
export interface UnsavedFile {
  cid: string;
  keyShards: readonly KeyShard[];
  /** The nodes that have their shard. */
  nodesDone: readonly number[];
  /** Whom it is shared to, if not to all that the request shares to. */
  shareTo?: readonly string[] | undefined;
}

/** Outcome of saving the keys of many files. */
export interface Saved {
  /** The same files, with the nodes that now have their shard, in the same order. */
  files: UnsavedFile[];
  /** Why saving did not succeed; undefined if it did. */
  error: unknown;
}

interface SaveKeysOptions {
  nodes: KeyNodes;
  auth: NodeAuth;
  requestFor: KeyRequest;
  rule: SavingRule;
  /**
   * Receives the number of saved shards, over all files, and which was saved last: of the file at `index`, on `node`. An
   * error it throws ends the saving.
   */
  onSaved: (shards: number, index: number, node: number) => void;
}

/**
 * Saves the shards of all files concurrently, each file's on its nodes by the pacing of the call. A failure that ends the saving of one
 * file ends that of all: no further shard is sent. Resolves when no request is in flight any more.
 */
export async function saveKeys(files: readonly UnsavedFile[], options: SaveKeysOptions): Promise<Saved> {
  const { nodes, auth, requestFor, rule, onSaved } = options;
  let saved = files.reduce((sum, { nodesDone }) => sum + nodesDone.length, 0);
  let halt: { error: unknown } | undefined;
  let firstFailure: KeeplightError | undefined;
  const end = (error: unknown) => {
    halt ??= { error };
  };

  async function saveOne(file: UnsavedFile, index: number): Promise<UnsavedFile> {
    const { cid, keyShards, shareTo } = file;
    const nodesDone = [...file.nodesDone];
    try {
      const { failed } = await queueOwnerCall(nodes, cid, () =>
        callNodes(
          nodes,
          auth,
          listMissingNodes(file),
          (node) => requestFor(node, { address: auth.address, cid, keyShards, shareTo }),
          {
            afterFailure: rule.afterFailure,
            isHalted: () => halt !== undefined,
            onEnd: end,
            onDone(node) {
              nodesDone.push(node);
              try {
                onSaved(++saved, index, node);
              } catch (error) {
                end(error);
              }
            },
          },
        ),
      );
      firstFailure ??= failed[0]?.error;
    } catch (error) {
      end(error);
    }
    return { ...file, nodesDone: nodesDone.sort() };
  }

  const started: Promise<UnsavedFile>[] = [];
  for (const file of files) {
    // A file starts once a request of it could be sent: a thousand that wait for that take much memory.
    await nodes.inFlight(async () => undefined, undefined);
    started.push(saveOne(file, started.length));
  }
  const attempted = await Promise.all(started);
  const fewest = Math.min(...attempted.map(({ nodesDone }) => nodesDone.length));
  const succeeded = fewest === ALL_NODES.length || (!halt && fewest >= rule.enough);
  return { files: attempted, error: succeeded ? undefined : (halt?.error ?? firstFailure) };
}

/** Lists the nodes that do not have the file's shard yet. */
export function listMissingNodes({ nodesDone }: UnsavedFile): number[] {
  return ALL_NODES.filter((node) => !nodesDone.includes(node));
}
