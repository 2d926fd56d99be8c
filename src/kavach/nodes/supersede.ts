import type { KeptCall } from "./kept-call.ts";

/** Parameters of the calls that are compared. */
interface Parameters {
  endpoints?: { keyNodes?: string };
  shareTo?: string | readonly string[];
  revokeTo?: string | readonly string[];
  keyShards?: readonly unknown[];
  resetSharedTo?: boolean;
}

/**
 * Decides what is left to do of an interrupted call once a later call on the same file has started. Completing it as it
 * was would undo the later one: readmit someone who was revoked, for one. Returns its parameters, which may be the same
 * object, or `undefined` if nothing is left.
 */
export function supersede(older: KeptCall, newer: KeptCall): object | undefined {
  const before = older.call.parameters as Parameters;
  const after = newer.call.parameters as Parameters;
  const isSameFile = older.call.cid === newer.call.cid && older.call.owner === newer.call.owner;
  if (!isSameFile || toHref(before.endpoints?.keyNodes) !== toHref(after.endpoints?.keyNodes)) return before;

  switch (`${older.kind}, ${newer.kind}`) {
    case "share, revoke":
      return without(before, "shareTo", after.revokeTo);
    case "save, revoke":
      // Its shards have to be saved all the same.
      return without(before, "shareTo", after.revokeTo) ?? { ...before, shareTo: undefined };
    case "revoke, share":
      return without(before, "revokeTo", after.shareTo);
    case "conditions, conditions":
      if (!before.keyShards?.length || after.keyShards?.length) return undefined;
      return { ...after, keyShards: before.keyShards };
    case "transfer, transfer":
    case "delegate, delegate":
      return undefined;
    case "share, transfer":
    case "revoke, transfer":
      // The transfer revokes all addresses.
      return after.resetSharedTo ? undefined : before;
    case "repair, share":
    case "repair, revoke":
    case "repair, transfer":
      // It has to query again whom the file is shared to.
      return { ...before };
    default:
      return before;
  }
}

/** The same for all forms of a URL. */
function toHref(url: string | undefined): string | undefined {
  return url && new URL(url).href.replace(/\/+$/, "");
}

/** Removes addresses from those of an option; returns `undefined` if none are left. */
function without(
  parameters: Parameters,
  option: "shareTo" | "revokeTo",
  removed: string | readonly string[] = [],
): Parameters | undefined {
  const addresses = [parameters[option] ?? []].flat();
  const left = addresses.filter((address) => !removed.includes(address));
  if (left.length === addresses.length) return parameters;
  return left.length > 0 ? { ...parameters, [option]: left } : undefined;
}
