const COIN = 10n ** 18n;

/**
 * Default limits on the fees of all transactions of a payment, in the smallest unit of the chain's coin, and the ids of
 * their chains: several times the highest cost observed, but never a large sum.
 */
const DEFAULT_MAX_FEES: readonly (readonly [maxFee: bigint, chainIds: readonly number[]])[] = [
  // Fantom and Polygon, with their testnets
  [10n * COIN, [250, 4002, 137, 80001]],
  // BNB Smart Chain
  [COIN / 20n, [56, 97]],
  // Optimism
  [COIN / 100n, [10, 69]],
  // Filecoin; coins of its testnets are worth nothing
  [5n * COIN, [314]],
  [50n * COIN, [314159, 31415]],
];

/** For all other chains. */
const OTHER_MAX_FEE = COIN / 10n;

export function defaultMaxFee(chainId: number): bigint {
  return DEFAULT_MAX_FEES.find(([, chainIds]) => chainIds.includes(chainId))?.[0] ?? OTHER_MAX_FEE;
}
