import { throwIfAborted, untilAborted } from "../../base/async/abort.ts";
import { ignore, isKeeplightError } from "../../base/errors/base.ts";
import { isSignInFault } from "../../base/errors/nodes.ts";
import type { ConnectedSigner, SigningOptions } from "../../base/validation/sign.ts";
import type { Signer } from "../../base/validation/signer.ts";
import type { KeyNodes, NodeAuth } from "../nodes/node-client.ts";
import { type DatedJwt, KEPT, type KeptSigner, refreshJwt, toDated } from "./session.ts";
import { signIn } from "./sign-in.ts";

/** Keeps the JWT of one signer beyond this process. */
export interface SignInKeeper {
  /** Throws if the JWT may not be used any more, also by calls that run. */
  assertUsable(): void;
  /**
   * Runs `work` with the JWT that is kept for these key nodes, and keeps what it returns. Nobody else who has the same JWT runs
   * such work meanwhile: a refresh token may be valid once.
   *
   * @param keyNodes - their URL; a JWT is sent to no others
   */
  exchange(keyNodes: string, work: (kept: DatedJwt | undefined) => Promise<DatedJwt>): Promise<DatedJwt>;
}

/**
 * Keeps the JWT of a signer. The holder of the keeper acts for the account, without a signature.
 *
 * @param find - returns the keeper at each call, the same one as long as it keeps the same; `undefined` to sign in as without one
 */
export function keepSignIn<One extends Signer>(signer: One, find: () => SignInKeeper | undefined): One {
  const get = () => {
    const keeper = find();
    if (!keeper) return undefined;
    const open = (...call: [ConnectedSigner, KeyNodes, SigningOptions]) => createKeptSession(keeper, ...call);
    return Object.assign(open, { keeper });
  };
  return Object.defineProperty(signer, KEPT, { get });
}

/** Returns what keeps the JWT of a signer, if anything does. */
export function getKeeper(signer: object): SignInKeeper | undefined {
  return ((signer as KeptSigner)[KEPT] as { keeper?: SignInKeeper } | undefined)?.keeper;
}

/** What this process knows of the JWT of one keeper at one host of key nodes. */
interface Known {
  jwt?: DatedJwt | undefined;
  pending?: Promise<DatedJwt> | undefined;
}

const known = new WeakMap<SignInKeeper, Map<string, Known>>();

/** Signs a signer in to the key nodes by the JWT that its keeper has; the signer signs only if there is none, or it was refused. */
function createKeptSession(
  keeper: SignInKeeper,
  { signer, address }: ConnectedSigner,
  nodes: KeyNodes,
  signing: SigningOptions,
): NodeAuth {
  const { signal, endpoints } = nodes.call;
  const { keyNodes } = endpoints;
  const hosts = known.get(keeper) ?? new Map<string, Known>();
  known.set(keeper, hosts);
  const own = hosts.get(keyNodes) ?? {};
  hosts.set(keyNodes, own);

  /** Returns a JWT to use now, other than `stale`. */
  async function getJwt(stale?: string): Promise<string> {
    for (;;) {
      throwIfAborted(signal);
      keeper.assertUsable();
      if (own.jwt && isFresh(own.jwt, stale)) return own.jwt.token;
      if (!own.pending) break;
      // Another call's: if that is aborted, this one is not.
      await untilAborted(own.pending.catch(ignore("ABORTED")), signal);
    }
    own.pending = exchange(stale)
      .then((jwt) => {
        own.jwt = jwt;
        return jwt;
      })
      .finally(() => {
        own.pending = undefined;
      });
    const { token } = await untilAborted(own.pending, signal);
    keeper.assertUsable();
    return token;
  }

  const exchange = (stale: string | undefined) =>
    keeper.exchange(keyNodes, async (kept) => {
      if (kept && isFresh(kept, stale)) return kept;
      return kept ? refresh(kept) : signInAgain();
    });

  async function signInAgain(): Promise<DatedJwt> {
    return toDated((await signIn(signer, address, nodes, signing)).jwt);
  }

  async function refresh(jwt: DatedJwt): Promise<DatedJwt> {
    try {
      return await refreshJwt(nodes, address, jwt);
    } catch (error) {
      // Nodes that fail say nothing about the token.
      if (!isKeeplightError(error, "INVALID_SIGNATURE") || isSignInFault(error)) throw error;
      return signInAgain();
    }
  }

  return { address, token: () => getJwt(), renew: getJwt };
}

function isFresh({ token, refreshAt }: DatedJwt, stale: string | undefined): boolean {
  return token !== stale && Date.now() < refreshAt;
}
