const COIN = 10n ** 18n;

/**
 * Default limit on the fees of all transactions of a payment, by chain id, in the smallest unit of the chain's coin:
 * several times the highest cost observed, but never a large sum.
 */
const DEFAULT_MAX_FEES: Readonly<Record<number, bigint>> = {
  // Fantom, its testnet
  250: 10n * COIN,
  4002: 10n * COIN,
  // Polygon, its testnet
  137: 10n * COIN,
  80001: 10n * COIN,
  // BNB Smart Chain, its testnet
  56: COIN / 20n,
  97: COIN / 20n,
  // Optimism, its testnet
  10: COIN / 100n,
  69: COIN / 100n,
  // Filecoin; coins of its testnets are worth nothing
  314: 5n * COIN,
  314159: 50n * COIN,
  31415: 50n * COIN,
};

/** For all other chains. */
const OTHER_MAX_FEE = COIN / 10n;

/** The default of `maxFee` on a chain. */
export function defaultMaxFee(chainId: number): bigint {
  return DEFAULT_MAX_FEES[chainId] ?? OTHER_MAX_FEE;
}
