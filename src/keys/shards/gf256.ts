import type { Sharing } from "./sharing.ts";

const loadShares = () => import("./gf256-shares.ts");

/**
 * Shamir's scheme over GF(2^8), byte by byte, by `shamir-secret-sharing`. What computes is loaded on first use, so that
 * pages which never use this scheme do not load it.
 */
export const gf256: Sharing = {
  indexLength: 2,
  maxKeyCount: 255,
  writtenByOlderClients: false,
  generateKey: async () => (await loadShares()).generateKey(),
  findKeyProblem: findBytesProblem,
  findShardProblem({ key }) {
    const problem = findBytesProblem(key);
    return problem === undefined ? undefined : `key ${problem}`;
  },
  split: async (masterKey, threshold, keyCount) => (await loadShares()).splitKey(masterKey, threshold, keyCount),
  combine: async (shards) => (await loadShares()).combineShards(shards),
  makeAnother: async (shards) => (await loadShares()).makeAnother(shards),
};

function findBytesProblem(hex: string): string | undefined {
  return hex.length > 0 && hex.length % 2 === 0 ? undefined : "must be whole bytes, at least one";
}
