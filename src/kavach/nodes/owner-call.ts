import { queued } from "../../async/queue.ts";
import { type OptionSchema, pickOptions, type Resolved, resolveChanges, resolveOptions } from "../../base/operation.ts";
import { type JournalOptions, journalOptionNames, journalSchema } from "../../journal/handle.ts";
import type { Optional } from "../../options.ts";
import { type OwnerOptions, ownerOptionNames, ownerSchema } from "../auth/owner.ts";
import { type KeyNodeOptions, type KeyNodes, keyNodeOptionNames, keyNodeSchema } from "./node-client.ts";

/** Options of calls that an owner makes to all five key nodes. */
export type OwnerCallOptions = KeyNodeOptions & OwnerOptions;

/** Checks {@link OwnerCallOptions}. */
export const ownerCallSchema = { ...keyNodeSchema, ...ownerSchema } satisfies OptionSchema<OwnerCallOptions>;

export const ownerCallNames = [keyNodeOptionNames, ownerOptionNames] as const;

/** Options of calls by which an owner changes who may open a file. */
export type OwnerChangeOptions = OwnerCallOptions & JournalOptions;

/** Checks {@link OwnerChangeOptions}. */
export const ownerChangeSchema = { ...ownerCallSchema, ...journalSchema } satisfies OptionSchema<OwnerChangeOptions>;

export const ownerChangeNames = [ownerCallNames, journalOptionNames] as const;

/**
 * Runs an owner's changes to the key of one file, or those to all files (no `cid`), in the order in which they were
 * called. If a node delayed a share, a revoke of the same person could overtake it: that person could then still open
 * the file although the revoke has reported success.
 *
 * @throws `ABORTED` while it waits; what `change` throws
 */
export function queueOwnerCall<T>({ call }: KeyNodes, cid: string | undefined, change: () => Promise<T>): Promise<T> {
  return queued(`${new URL(call.endpoints.keyNodes).host} ${cid}`, call.signal, change);
}

type ResolvedOwnerChange = Resolved<typeof ownerChangeSchema>;

/**
 * Resolves the options that an owner call is resumed with, and changes those that it had: an option that is now
 * `undefined` has its default again, but an owner stays.
 *
 * @throws what the checks throw
 */
export function resolveOwnerChanges<Options extends ResolvedOwnerChange>(
  options: Options,
  changes: Optional<OwnerChangeOptions> | undefined,
): Options {
  const resolved = resolveChanges(ownerChangeSchema, changes);
  const cleared = Object.entries(changes ?? {}).filter(([, value]) => value === undefined);
  const defaults = pickOptions(resolveOptions(ownerChangeSchema, {}), Object.fromEntries(cleared));
  return mergeResumeOptions(options, { ...defaults, ...resolved });
}

/**
 * Merges the options to resume with. A signal that has fired is dropped, as it would end the call again at once, and
 * so is an option whose new value is `undefined`. The owner stays unless another one is passed.
 */
export function mergeResumeOptions<Options extends Partial<ResolvedOwnerChange> | OwnerCallOptions>(
  options: Options,
  changed: Partial<ResolvedOwnerChange> | Optional<OwnerCallOptions>,
): Options {
  const { signal } = options;
  const dropped = Object.fromEntries(Object.keys(changed).map((name) => [name, undefined]));
  const { signer, address, authToken } = options;
  return mergeOptions(
    { ...options, signal: signal?.aborted ? undefined : signal, ...dropped, signer, address, authToken } as Options,
    changed,
  );
}

/** Changes some of `options`. An owner is replaced as a whole, though an address may get a new token. */
export function mergeOptions<Options extends object>(
  options: Options,
  changed: { signer?: unknown; address?: unknown },
): Options {
  const changes = Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== undefined));
  const hasNewOwner = changed.signer !== undefined || changed.address !== undefined;
  const kept = hasNewOwner ? { ...options, signer: undefined, address: undefined, authToken: undefined } : options;
  return { ...kept, ...changes } as Options;
}
