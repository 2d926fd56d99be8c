/** Widths of the integers that the key nodes pass to a contract, in bits. */
type IntegerBits = 8 | 16 | 24 | 32 | 40 | 48 | 64 | 128 | 192 | 256;

/** Lengths of the fixed byte strings that the key nodes pass to a contract. */
type ByteCount = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 16 | 32;

type SolidityScalar = "address" | "bool" | `bytes${ByteCount}` | `${"" | "u"}int${IntegerBits}`;

/** A type that a `Custom` condition may pass to a contract or read from it. */
export type SolidityType = SolidityScalar | `${SolidityScalar}[]`;

const integerBits: readonly IntegerBits[] = [8, 16, 24, 32, 40, 48, 64, 128, 192, 256];
const byteCounts: readonly ByteCount[] = [1, 2, 3, 4, 5, 6, 7, 8, 16, 32];

const scalars: readonly SolidityScalar[] = [
  "address",
  "bool",
  ...byteCounts.map((count) => `bytes${count}` as const),
  ...integerBits.flatMap((bits) => [`uint${bits}`, `int${bits}`] as const),
];

/** Every {@link SolidityType}. */
export const solidityTypes: readonly SolidityType[] = [...scalars, ...scalars.map((type) => `${type}[]` as const)];
