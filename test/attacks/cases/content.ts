import type { SentBlock } from "../../../packages/devnet/src/attack.ts";
import { encryptBytes } from "../../../src/index.ts";
import type { AttackCase } from "../attack-case.ts";
import type { Outcome, Path } from "../paths.ts";
import type { Rig, Target } from "../rig.ts";

/** A file of several blocks: the content id of a single block is that of its bytes, and refutes others by itself. */
export const SEVERAL_BLOCKS = 300_000;

/** What other bytes lead to if the gateway refuses blocks: nothing but a known chunk profile could prove them. */
export const notProved = {
  decrypt: "NOT_VERIFIED",
  "decrypt, strict": "NOT_VERIFIED",
  "decrypt, commitment": "NOT_VERIFIED",
  "share link": "NOT_VERIFIED",
  "share link, strict": "NOT_VERIFIED",
  "recovery kit, strict": "NOT_VERIFIED",
  download: "NOT_VERIFIED",
  "open file": "UNSUPPORTED",
  "open encrypted": "UNSUPPORTED",
  "open encrypted, commitment": "UNSUPPORTED",
} satisfies Partial<Record<Path, Outcome>>;

const oneBlock = {
  decrypt: "CID_MISMATCH",
  "decrypt, strict": "CID_MISMATCH",
  "decrypt, commitment": "CID_MISMATCH",
  "share link": "CID_MISMATCH",
  "share link, strict": "CID_MISMATCH",
  "recovery kit, strict": "CID_MISMATCH",
  download: "CID_MISMATCH",
  "open file": "UNSUPPORTED",
  "open encrypted": "UNSUPPORTED",
  "open encrypted, commitment": "UNSUPPORTED",
} satisfies Partial<Record<Path, Outcome>>;

const NOTHING_RELEASED = "nothing is released: what neither blocks nor a known chunk profile prove is refused";

/** Serves other bytes, and refuses the blocks that would refute them. */
export const serveOther = ({ target: { cid } }: Rig, change: (file: Uint8Array) => Uint8Array) => [
  { kind: "tamper-content", cid, change } as const,
  { kind: "refuse-blocks", cid } as const,
];

const serve = (change: (file: Uint8Array, rig: Rig) => Uint8Array) => (rig: Rig) =>
  serveOther(rig, (file) => change(file, rig));

/** What wrong blocks lead to. A whole file of one block proves itself. */
const blocksRefused = {
  "open file": "CID_MISMATCH",
  "open encrypted": "CID_MISMATCH",
  "open encrypted, commitment": "CID_MISMATCH",
} satisfies Partial<Record<Path, Outcome>>;

const BLOCKS_REFUSED =
  "no byte of a block is used before its content id is verified; another gateway of the list helps";

const tamperBlocks = (change: (block: SentBlock, rig: Rig) => SentBlock[] | null) => (rig: Rig) => [
  { kind: "tamper-blocks", cid: rig.target.cid, change: (block: SentBlock) => change(block, rig) } as const,
];

const encryptAs = (text: string, { masterKey }: Target) => encryptBytes(new TextEncoder().encode(text), masterKey);

export const contentAttacks: readonly AttackCase[] = [
  {
    name: "another file under the right content id",
    outcome: NOTHING_RELEASED,
    attacks: serve((_, { other }) => other.encrypted),
    bytes: SEVERAL_BLOCKS,
    paths: notProved,
  },
  {
    name: "a truncated file",
    outcome: NOTHING_RELEASED,
    attacks: serve((file) => file.subarray(0, -16)),
    bytes: SEVERAL_BLOCKS,
    paths: notProved,
  },
  {
    name: "an empty file",
    outcome: NOTHING_RELEASED,
    attacks: serve(() => new Uint8Array()),
    bytes: SEVERAL_BLOCKS,
    paths: notProved,
  },
  {
    name: "a file with bytes appended",
    outcome: NOTHING_RELEASED,
    attacks: serve((file) => Buffer.concat([file, new Uint8Array(16)])),
    bytes: SEVERAL_BLOCKS,
    paths: notProved,
  },
  {
    name: "a flipped bit",
    outcome: NOTHING_RELEASED,
    attacks: serve((file) => file.with(60, (file[60] ?? 0) ^ 1)),
    bytes: SEVERAL_BLOCKS,
    paths: notProved,
  },
  {
    name: "reordered ciphertext",
    outcome: NOTHING_RELEASED,
    attacks: serve((file) =>
      Buffer.concat([file.subarray(0, 28), file.subarray(44, 60), file.subarray(28, 44), file.subarray(60)]),
    ),
    bytes: SEVERAL_BLOCKS,
    paths: notProved,
  },
  {
    name: "the header of one file with the ciphertext of another",
    outcome: NOTHING_RELEASED,
    attacks: serve((file, { other }) => Buffer.concat([file.subarray(0, 28), other.encrypted.subarray(28)])),
    bytes: SEVERAL_BLOCKS,
    paths: notProved,
  },
  {
    name: "a file that a recipient made with the right key",
    outcome:
      "everyone who has a file's key can make another file that it opens; it is refused, as nothing proves it to be that of the content id",
    async attacks(rig) {
      const forged = await encryptAs("made by a recipient", rig.target);
      return serveOther(rig, () => forged);
    },
    bytes: SEVERAL_BLOCKS,
    paths: notProved,
  },
  {
    name: "another file of one block under the right content id",
    outcome: "nothing is released: the content id of a single block is the hash of its bytes",
    attacks: serve((_, { other }) => other.encrypted),
    paths: oneBlock,
  },
  {
    name: "a flipped bit in each block",
    outcome: BLOCKS_REFUSED,
    attacks: tamperBlocks(({ cid, bytes }) => [{ cid, bytes: bytes.with(40, (bytes[40] ?? 0) ^ 1) }]),
    paths: blocksRefused,
  },
  {
    name: "blocks of another file",
    outcome: BLOCKS_REFUSED,
    attacks: tamperBlocks(({ cid }, { other }) => [{ cid, bytes: other.encrypted }]),
    paths: blocksRefused,
  },
  {
    name: "fewer blocks than the file has",
    outcome: BLOCKS_REFUSED,
    attacks: tamperBlocks(() => null),
    paths: blocksRefused,
  },
];
