import { throwIfAborted, wait } from "../../base/async/abort.ts";
import { KEY_NODE_COUNT } from "../../base/config/limits.ts";
import { isKeeplightError, type KeeplightError } from "../../base/errors/base.ts";
import { cidMismatch } from "../../base/errors/verification.ts";
import type { ResolvedCall } from "../../base/options.ts";
import type { CidVersion } from "../../formats/cid/content-id.ts";
import { retrieveShard } from "../../keys/file-keys/recover-shards.ts";
import { requestNode } from "../../keys/nodes/node-client.ts";
import type { KeyShard } from "../../keys/shards/schemes.ts";
import { receive } from "../../network/http/client.ts";
import { createHashers, type ExpectedCids, listProfiles } from "./encrypted-cids.ts";
import type { Attempt } from "./upload-entry.ts";

/** An encrypted file that was sent, and the content id that the upload node reports for it. */
export interface SentFile {
  name: string;
  /** The content id that the upload node, or the caller, names. */
  cid: string;
  /** `undefined` if not all of it was sent. */
  expected: ExpectedCids | undefined;
  keyShards: readonly KeyShard[];
  /** Whether the caller vouches for the content id, so that it need not be read back. */
  vouched: boolean;
}

type Confirming = Pick<Attempt, "nodes" | "auth" | "call" | "cidVersion">;

/**
 * Checks that no key exists under content ids that were not computed and, unless the caller vouches for them, that they
 * yield the encrypted bytes.
 *
 * @throws `CID_MISMATCH`, `ABORTED`
 */
export async function checkUnknownCids(files: readonly SentFile[], attempt: Confirming): Promise<void> {
  const { call, cidVersion } = attempt;
  const { signal } = call;
  const problems = await Promise.all(files.map((file) => findProblem(() => checkNoKey(file, attempt), signal)));
  for (const [at, { name, cid, expected, vouched }] of files.entries()) {
    const checkBytes = async () =>
      vouched || (await isStoredAs(cid, expected, cidVersion, call)) ? undefined : "reading it back yields other bytes";
    const problem = problems[at] ?? (await findProblem(checkBytes, signal));
    if (!problem) continue;
    const { text, cause } = problem;
    throw cidMismatch({ name, expected: expected?.cids[0] ?? "unknown", got: cid, problem: text }, cause);
  }
}

/** Returns why a content id is rejected, if it is; a check that fails is a reason, too. */
async function findProblem(check: () => Promise<string | undefined>, signal: AbortSignal | undefined) {
  try {
    const text = await check();
    return text === undefined ? undefined : { text };
  } catch (cause) {
    throwIfAborted(signal);
    if (!isKeeplightError(cause)) throw cause;
    return { text: "it could not be checked", cause };
  }
}

/** Queries every node: a key that only some of them hold must not be overwritten either. */
async function checkNoKey({ cid, keyShards }: SentFile, { nodes, auth }: Confirming): Promise<string | undefined> {
  const token = await auth.token();
  // A signature is valid for one call only, which has to be the one that saves the keys.
  if (token.startsWith("0x")) {
    const request = { method: "GET", path: `/api/fileAccessConditions/get/${cid}` } as const;
    const access = await undefinedIfUnknown(requestNode({ ...nodes, attempts: 1 }, request));
    return access === undefined || access === null ? undefined : KEY_EXISTS;
  }
  for (let node = 1; node <= KEY_NODE_COUNT; node++) {
    if (node > 1) await wait(nodes.pauseMs, nodes.call.signal);
    const shard = await undefinedIfUnknown(retrieveShard({ ...nodes, attempts: 1 }, auth, node, cid, {}));
    const own = keyShards[node - 1];
    if (shard && (shard.key !== own?.key || shard.index !== own.index)) return KEY_EXISTS;
  }
  return undefined;
}

const KEY_EXISTS = "another key exists under it";

/** Resolves to `undefined` if the nodes do not know the file, which some of them report by status 404. */
async function undefinedIfUnknown<T>(query: Promise<T>): Promise<T | undefined> {
  try {
    return await query;
  } catch (error) {
    const { code, details } = error as KeeplightError;
    if (code === "CID_NOT_FOUND" || (code === "NETWORK" && details["status"] === 404)) return undefined;
    throw error;
  }
}

/**
 * Reads a stored file back, in constant memory, and returns whether it is the one that was sent, by its content id. One
 * gateway that has it is enough.
 */
export async function isStoredAs(
  cid: string,
  expected: ExpectedCids | undefined,
  cidVersion: CidVersion,
  call: ResolvedCall,
): Promise<boolean> {
  let failure: { error: unknown } | undefined;
  for (const base of call.endpoints.gateway) {
    try {
      if (await readsBack(base, cid, expected, cidVersion, call)) return true;
    } catch (error) {
      throwIfAborted(call.signal);
      failure ??= { error };
    }
  }
  if (failure) throw failure.error;
  return false;
}

async function readsBack(
  base: string,
  cid: string,
  expected: ExpectedCids | undefined,
  cidVersion: CidVersion,
  { signal, timeoutMs, idleTimeoutMs }: ResolvedCall,
): Promise<boolean> {
  const request = { method: "POST", base, path: `/api/v0/cat/${cid}`, signal, timeoutMs, idleTimeoutMs } as const;
  const hashers = createHashers(listProfiles(cidVersion));
  let left = expected?.size ?? 0;
  await receive(request, async ({ chunks }) => {
    for await (const chunk of chunks) {
      left -= chunk.length;
      if (left < 0) break;
      await hashers.update(chunk);
    }
  });
  return left === 0 && (await hashers.finish()).cids.some((found) => expected?.has(found));
}
