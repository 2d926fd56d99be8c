/** Returns the JSON-RPC URL of an EVM chain by its name in any case; `undefined` if there is none. */
export type FindRpcUrl = (chain: string) => string | undefined;

/** Chains that are not in `urls` use `fallback`: the devnet's one chain stands in for any other. */
export function createRpcUrlFinder(urls: Readonly<Record<string, string>>, fallback: string | undefined): FindRpcUrl {
  const byName = new Map(Object.entries(urls).map(([chain, url]) => [chain.toLowerCase(), url]));
  return (chain) => byName.get(chain.toLowerCase()) ?? fallback;
}
