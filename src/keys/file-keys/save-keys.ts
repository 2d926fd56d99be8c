import { DEFAULT_THRESHOLD, KEY_NODE_COUNT } from "../../base/config/limits.ts";
import type { KeeplightError } from "../../base/errors/base.ts";
import { invalidOption } from "../../base/errors/input.ts";
import { type OptionSchema, oneOf, optional, type Resolved, unchecked, wholeNumber } from "../../base/operation.ts";
import { type Addresses, checkAddresses } from "../../base/validation/address.ts";
import { queueOwnerCall } from "../auth/owner.ts";
import type { ConditionList, DecryptionTypeOption } from "../conditions/check-conditions.ts";
import { ALL_NODES, type CallRule, callNodes } from "../nodes/call-nodes.ts";
import type { KeyNodes, NodeAuth, NodeRequest } from "../nodes/node-client.ts";
import type { KeyShard } from "../shards/schemes.ts";

/** Access conditions and how they are evaluated. */
export type AccessRuleOptions = ConditionList & {
  /**
   * How the conditions are combined, by their ids: `([1] and [2])`, `([1] or [2])`, `!([1] and [2])`, and so on. `!`
   * binds tighter than `and`, `and` tighter than `or`. Required with more than one condition.
   *
   * @default none
   */
  aggregator?: string | null | undefined;
  /** `ADDRESS` or `ACCESS_CONDITIONS`. @default `ADDRESS` */
  decryptionType?: DecryptionTypeOption;
};

/** Takes {@link AccessRuleOptions}: what sends them checks them together. */
export const accessRuleSchema = {
  conditions: unchecked(),
  chainType: unchecked(),
  aggregator: unchecked(),
  decryptionType: unchecked(),
} satisfies OptionSchema<AccessRuleOptions>;

/** Who may recover the keys of an encrypted upload besides its owner. */
export type AccessOptions =
  | {
      /** Address or addresses that may recover the keys besides the owner. @default none */
      shareTo?: Addresses | undefined;
      /** Conditions and `shareTo` exclude each other. */
      conditions?: undefined;
    }
  | (AccessRuleOptions & { shareTo?: undefined });

/** Checks {@link AccessOptions}, but not conditions: {@link createKeyRequest} does. */
export const accessSchema = {
  ...accessRuleSchema,
  shareTo: optional(checkAddresses),
} satisfies OptionSchema<AccessOptions>;

/** A file's shard for one node. */
interface FileShard {
  address: string;
  cid: string;
  shard: KeyShard | undefined;
  shareTo?: readonly string[] | undefined;
}

/** Builds the request that saves one file's shard on one node. */
export type KeyRequest = (node: number, file: FileShard) => Omit<NodeRequest, "node">;

/**
 * Selects how the keys are saved: shared to addresses, or under conditions. The rules about conditions are loaded
 * only if there are some.
 *
 * @throws `INVALID_ADDRESS`, `INVALID_CONDITION`, `INVALID_OPTION`
 */
export async function createKeyRequest(options: Resolved<typeof accessSchema>): Promise<KeyRequest> {
  if (options.conditions === undefined) {
    const { shareTo = [] } = options;
    return (node, file) => createSaveRequest(node, { ...file, shareTo: file.shareTo ?? shareTo });
  }
  if (options.shareTo !== undefined) {
    throw invalidOption("shareTo", "nothing beside conditions; kavachShare shares the file afterwards");
  }
  const { createAccessRequest, checkAccess } = await import("../access/access-request.ts");
  const access = checkAccess(options);
  return (node, file) => createAccessRequest(node, { ...file, access });
}

/** How many nodes have to save their shard. */
export interface SaveOnOptions {
  /**
   * When saving a key succeeds. `all`: on all five nodes, and saving stops at the first that fails. `enough`: on as
   * many nodes as `threshold`; the nodes after a failed one are called as well, and the result lists those without a
   * shard, for `kavachRepair` to save it later. With exactly `threshold` shards saved, losing one loses the file.
   *
   * @default "all"
   */
  saveOn?: "all" | "enough" | undefined;
  /** How many of a key's five shards recover it, 2 to 5. @default 3, which is how many other clients fetch */
  threshold?: number | undefined;
}

/** Checks {@link SaveOnOptions}; the threshold is that of other calls, too, and {@link resolveSavingRule} checks it. */
export const saveOnSchema = {
  saveOn: oneOf(["all", "enough"], "all"),
  threshold: unchecked<number>(),
} satisfies OptionSchema<SaveOnOptions>;

/** Returns {@link SaveOnOptions} as rules for calling the nodes; throws `INVALID_OPTION` for a threshold that no key has. */
export function resolveSavingRule({ saveOn, threshold }: Resolved<typeof saveOnSchema>): CallRule {
  if (saveOn === "all") return { afterFailure: "stop", enough: KEY_NODE_COUNT };
  const enough = wholeNumber(DEFAULT_THRESHOLD, 2, KEY_NODE_COUNT)(threshold, "threshold");
  return { afterFailure: "continue", enough };
}

/** Builds one node's request for saving its shard of a key. */
export function createSaveRequest(node: number, file: FileShard): Omit<NodeRequest, "node"> {
  const { address, cid, shard, shareTo = [] } = file;
  const json = { address, cid, payload: shard, ...(shareTo.length > 0 ? { sharedTo: shareTo } : {}) };
  return { method: "POST", path: `/api/setSharedKey/${node}`, json };
}

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
  rule: CallRule;
  /**
   * Receives the number of saved shards, over all files, and which was saved last: of the file at `index`, on `node`. An
   * error it throws ends the saving.
   */
  onSaved: (shards: number, index: number, node: number) => void;
}

/**
 * Saves the shards of all files concurrently, each file's on its nodes by the pacing of the call. A failure that ends the saving
 * of one file ends that of all: no further shard is sent. Resolves when no request is in flight any more.
 */
export async function saveKeys(files: readonly UnsavedFile[], options: SaveKeysOptions): Promise<Saved> {
  const { nodes, auth, requestFor, rule, onSaved } = options;
  let saved = files.reduce((sum, { nodesDone }) => sum + nodesDone.length, 0);
  const halt = new AbortController();
  let firstFailure: KeeplightError | undefined;

  async function saveOne(file: UnsavedFile, index: number): Promise<UnsavedFile> {
    const { cid, keyShards, shareTo } = file;
    const nodesDone = [...file.nodesDone];
    const request = (node: number) =>
      requestFor(node, { address: auth.address, cid, shard: keyShards[node - 1], shareTo });
    const onDone = (node: number) => {
      nodesDone.push(node);
      try {
        onSaved(++saved, index, node);
      } catch (error) {
        halt.abort(error);
      }
    };
    try {
      const { afterFailure } = rule;
      const { failed } = await queueOwnerCall(nodes, cid, () =>
        callNodes(nodes, auth, listMissingNodes(file), request, { afterFailure, onDone, halt }),
      );
      firstFailure ??= failed[0]?.error;
    } catch (error) {
      halt.abort(error);
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
  const { aborted: isHalted, reason } = halt.signal;
  const succeeded = fewest === ALL_NODES.length || (!isHalted && fewest >= rule.enough);
  return { files: attempted, error: succeeded ? undefined : (reason ?? firstFailure) };
}

/** Lists the nodes that do not have the file's shard yet. */
export function listMissingNodes({ nodesDone }: UnsavedFile): number[] {
  return ALL_NODES.filter((node) => !nodesDone.includes(node));
}
