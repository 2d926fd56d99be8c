/** The class bills what Walrus stores: a file's encoded size, with 1,000 shards. */
const SHARDS = 1_000;
const MAX_FAULTY = Math.floor((SHARDS - 1) / 3);
const SECONDARY_SYMBOLS = SHARDS - MAX_FAULTY;
const PRIMARY_SYMBOLS = SECONDARY_SYMBOLS - MAX_FAULTY;
const HASH_BYTES = 32;
/** Of each shard: two hashes of every shard, and the blob's id. */
const METADATA_BYTES = SHARDS * 2 * HASH_BYTES + HASH_BYTES;

const MIB = 1024 ** 2;

/** USD that each payment costs besides. */
const FACILITATOR_FEE = 0.001;

/** USD per encoded MiB and year, until it is set. */
export const DEFAULT_USD_PER_MIB = 0.0005;

/** Computes the bytes that Walrus stores of a file. */
function encodedBytes(bytes: number): number {
  const symbols = Math.ceil(Math.max(bytes, 1) / (PRIMARY_SYMBOLS * SECONDARY_SYMBOLS));
  const symbolBytes = symbols + (symbols % 2);
  return SHARDS * METADATA_BYTES + (PRIMARY_SYMBOLS + SECONDARY_SYMBOLS) * symbolBytes * SHARDS;
}

/** Computes the price of a file for a year. `billableMiB` is its encoded size, rounded up. */
export function quote(bytes: number, usdPerMiB: number) {
  const encodedSizeBytes = encodedBytes(bytes);
  const billableMiB = Math.ceil(encodedSizeBytes / MIB);
  const usd = (billableMiB * usdPerMiB + FACILITATOR_FEE).toFixed(6);
  return {
    /** The fields of both price routes, in their order. */
    fields: {
      fileSizeBytes: bytes,
      fileSizeMB: toMib(bytes),
      encodedSizeBytes,
      encodedSizeMiB: toMib(encodedSizeBytes),
      billableMiB,
      pricePerMB: `$${usdPerMiB}`,
      facilitatorFee: `$${FACILITATOR_FEE.toFixed(6)}`,
      totalPrice: `$${usd}`,
    },
    /** In smallest units of USDC, as a decimal string. */
    amount: String(Math.round(Number(usd) * 1_000_000)),
  };
}

function toMib(bytes: number): number {
  return Number((bytes / MIB).toFixed(4));
}
