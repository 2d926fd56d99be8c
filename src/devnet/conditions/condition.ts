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

/** The parts of a condition that its evaluation looks at. */
export interface Condition {
  id: number;
  chain: string;
  /** Lower-case; empty for questions about the chain itself. */
  standardContractType: string;
  contractAddress: string;
  method: string;
  /** `undefined` where there are none. */
  parameters: readonly unknown[] | undefined;
  /** Solidity types of a `custom` call. */
  inputArrayType: readonly string[];
  outputType: string;
  comparator: Comparator;
  /** What the chain's answer is compared with: a number, a text or a list. */
  value: unknown;
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
