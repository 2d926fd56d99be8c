/** The JSON-RPC URL of an EVM chain, by its name in any case; `undefined` if it cannot be asked. */
export type RpcOf = (chain: string) => string | undefined;

/** Chains without a URL of their own are all `otherwise`: on a devnet its one chain stands for any. */
export function createRpcOf(urls: Readonly<Record<string, string>>, otherwise: string | undefined): RpcOf {
  const byName = new Map(Object.entries(urls).map(([chain, url]) => [chain.toLowerCase(), url]));
  return (chain) => byName.get(chain.toLowerCase()) ?? otherwise;
}
