/** How a condition compares what a chain says with what it asks for. */
export const COMPARATORS = ["==", ">=", "<=", "!=", ">", "<"] as const;

/** One of {@link COMPARATORS}. */
export type Comparator = (typeof COMPARATORS)[number];

/** The kinds of chain that conditions are about. */
export const CHAIN_TYPES = ["EVM", "SOLANA", "COREUM", "RADIX"] as const;

/** One of {@link CHAIN_TYPES}. */
export type ChainType = (typeof CHAIN_TYPES)[number];

/** Who may have a shard: the owner and those it is shared to, or also whoever meets the conditions. */
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

/** What a key node keeps about who else may open a file. */
export interface FileAccess {
  chainType: ChainType;
  decryptionType: DecryptionType;
  /** As it was sent; empty if there was none. */
  aggregator: string;
  /** The conditions as they were sent. */
  conditions: readonly Readonly<Record<string, unknown>>[];
}
