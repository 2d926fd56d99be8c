/** Comparisons of the value read from a chain with the expected value. */
export const COMPARATORS = ["==", ">=", "<=", "!=", ">", "<"] as const;

/** One of {@link COMPARATORS}. */
export type Comparator = (typeof COMPARATORS)[number];

/** The supported chain types. */
export const CHAIN_TYPES = ["EVM", "SOLANA", "COREUM", "RADIX"] as const;

/** One of {@link CHAIN_TYPES}. */
export type ChainType = (typeof CHAIN_TYPES)[number];

/** Who may read a shard: the owner and the recipients, or also anyone who meets the conditions. */
export const DECRYPTION_TYPES = ["ADDRESS", "ACCESS_CONDITIONS"] as const;

/** One of {@link DECRYPTION_TYPES}. */
type DecryptionType = (typeof DECRYPTION_TYPES)[number];

/** A parsed condition: the fields that its evaluation reads. */
export interface Condition {
  id: number;
  chain: string;
  /** Lower-case; empty for reads of the chain itself. */
  standardContractType: string;
  contractAddress: string;
  method: string;
  parameters?: readonly unknown[] | undefined;
  /** Solidity types of a `custom` call. */
  inputArrayType?: readonly string[];
  outputType?: string;
  returnValueTest: {
    comparator: Comparator;
    /** The right-hand side: a number, a string or a list. */
    value: unknown;
  };
}

/** The access conditions of a file, as a key node stores them. */
export interface FileAccess {
  chainType: ChainType;
  decryptionType: DecryptionType;
  /** As received; empty if there was none. */
  aggregator: string;
  /** The conditions as received. */
  conditions: readonly Readonly<Record<string, unknown>>[];
}
