import { queued } from "../../base/async/queue.ts";
import { missingOwner } from "../../base/errors/input.ts";
import {
  type OptionSchema,
  pickOptions,
  type Resolved,
  reference,
  resolveChanges,
  resolveOptions,
  unchecked,
} from "../../base/operation.ts";
import { checkToken } from "../../base/options.ts";
import { checkAddress } from "../../base/validation/address.ts";
import { connectSigner, type SigningOptions, signingSchema } from "../../base/validation/sign.ts";
import type { SignerLike } from "../../base/validation/signer.ts";
import { type JournalOptions, journalSchema } from "../../journal/handle.ts";
import { type KeyNodeOptions, type KeyNodes, keyNodeSchema, type NodeAuth } from "../nodes/node-client.ts";
import { createSession, KEPT, type KeptSigner } from "./session.ts";

/**
 * The account that acts: a signer (the kit fetches the message, signs it once, then reuses and refreshes the JWT), or
 * an address with a token (a JWT, or a signature of the current message, which is valid for one operation).
 */
export type OwnerOptions = SigningOptions &
  (
    | {
        /** The account: it signs once for many calls. */
        signer: SignerLike;
        address?: undefined;
        authToken?: undefined;
      }
    | {
        /** The account. */
        address: string;
        /** A JWT of the account, or its signature of the current message. */
        authToken: string;
        signer?: undefined;
      }
  );

/** Takes {@link OwnerOptions}; what is used of them is checked by {@link resolveOwner}. */
export const ownerSchema = {
  ...signingSchema,
  signer: reference<SignerLike>(),
  address: unchecked<string>(),
  authToken: unchecked<string>(),
} satisfies OptionSchema<OwnerOptions>;

/**
 * Finds the account that acts. Nothing is sent or signed yet.
 *
 * @throws `MISSING_OWNER`, `INVALID_ADDRESS`, `INVALID_OPTION`
 */
export async function resolveOwner(
  { signer, address, authToken, acceptMessage }: Resolved<typeof ownerSchema>,
  nodes: KeyNodes,
): Promise<NodeAuth> {
  if (signer !== undefined) {
    const connected = await connectSigner(signer, { acceptMessage, signal: nodes.call.signal });
    return ((connected.signer as KeptSigner)[KEPT] ?? createSession)(connected, nodes, { acceptMessage });
  }
  if (address === undefined || authToken === undefined) throw missingOwner();
  const token = checkToken("authToken", authToken);
  return { address: checkAddress(address), token: async () => token, renew: async () => undefined };
}

/** Options of calls that an owner makes to all five key nodes. */
export type OwnerCallOptions = KeyNodeOptions & OwnerOptions;

export const ownerCallSchema = { ...keyNodeSchema, ...ownerSchema } satisfies OptionSchema<OwnerCallOptions>;

/** Options of calls by which an owner changes who may open a file. */
export type OwnerChangeOptions = OwnerCallOptions & JournalOptions;

export const ownerChangeSchema = { ...ownerCallSchema, ...journalSchema } satisfies OptionSchema<OwnerChangeOptions>;

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

/** {@link OwnerChangeOptions}, checked. */
export type ResolvedOwnerChange = Resolved<typeof ownerChangeSchema>;

/**
 * Merges the options that a call is resumed with into those that it has resolved, as {@link mergeResumeOptions} does: what
 * is now `undefined` has its default again.
 *
 * @throws what the checks of `schema` throw
 */
export function mergeResolved<Options extends object>(
  schema: object,
  options: Options,
  changed: object | undefined,
): Options {
  const changes = resolveChanges(schema, changed);
  const cleared = Object.entries(changed ?? {}).filter(([, value]) => value === undefined);
  const defaults = resolveOptions(pickOptions(schema, Object.fromEntries(cleared)), {});
  return mergeResumeOptions(options, { ...defaults, ...changes });
}

/**
 * Merges the options to resume with. A signal that has fired is dropped, as it would end the call again at once, and
 * so is an option whose new value is `undefined`. The owner stays unless another one is passed.
 */
export function mergeResumeOptions<Options extends object>(options: Options, changed: object): Options {
  const { signal } = options as Partial<ResolvedOwnerChange>;
  const { signer, address, authToken } = mergeOptions(options, changed) as Partial<ResolvedOwnerChange>;
  return { ...options, signal: signal?.aborted ? undefined : signal, ...changed, signer, address, authToken };
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
