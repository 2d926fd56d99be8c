import type { KeyNodes, NodeAuth } from "./node-client.ts";

/**
 * Authorizes requests to several nodes at once like one: a single token, and a single renewal once a node refuses it, so
 * that a wallet is not asked again for each node. Nodes that are called one after another get the current token each.
 */
export function shareSignIn({ pacing }: KeyNodes, auth: NodeAuth): NodeAuth {
  if (pacing === "sequential") return auth;
  let token: Promise<string> | undefined;
  let renewed: Promise<string | undefined> | undefined;
  return {
    address: auth.address,
    token: () => (token ??= auth.token()),
    renew: (stale) => (renewed ??= auth.renew(stale)),
  };
}
