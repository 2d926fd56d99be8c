import type { SentBlock } from "../../../src/devnet/attacks/attack.ts";
import { encryptBytes } from "../../../src/index.ts";
import type { AttackCase } from "../attack-case.ts";
import type { Outcome, Path } from "../paths.ts";
import type { Rig, Target } from "../rig.ts";

/** What every change of the stored bytes leads to: the content id of a single block is that of its bytes. */
const notDecrypted = {
  decrypt: "CID_MISMATCH",
  "decrypt, strict": "CID_MISMATCH",
  "decrypt, commitment": "CID_MISMATCH",
  "share link": "CID_MISMATCH",
  "share link, strict": "CID_MISMATCH",
  "recovery kit, strict": "CID_MISMATCH",
  download: "CID_MISMATCH",
  "download, verifyCid": "CID_MISMATCH",
} satisfies Partial<Record<Path, Outcome>>;

const NOTHING_RELEASED =
  "nothing is released; without blocks, and in no known chunk profile, only decryption notices, or `verifyCid: true`";

const serve = (change: (file: Uint8Array, rig: Rig) => Uint8Array) => (rig: Rig) => [
  { kind: "tamper-content", cid: rig.target.cid, change: (file: Uint8Array) => change(file, rig) } as const,
];

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
    paths: notDecrypted,
  },
  {
    name: "a truncated file",
    outcome: NOTHING_RELEASED,
    attacks: serve((file) => file.subarray(0, -16)),
    paths: notDecrypted,
  },
  {
    name: "an empty file",
    outcome: NOTHING_RELEASED,
    attacks: serve(() => new Uint8Array()),
    paths: notDecrypted,
  },
  {
    name: "a file with bytes appended",
    outcome: NOTHING_RELEASED,
    attacks: serve((file) => Buffer.concat([file, new Uint8Array(16)])),
    paths: notDecrypted,
  },
  {
    name: "a flipped bit",
    outcome: NOTHING_RELEASED,
    attacks: serve((file) => file.with(60, (file[60] ?? 0) ^ 1)),
    paths: notDecrypted,
  },
  {
    name: "reordered ciphertext",
    outcome: NOTHING_RELEASED,
    attacks: serve((file) =>
      Buffer.concat([file.subarray(0, 28), file.subarray(44, 60), file.subarray(28, 44), file.subarray(60)]),
    ),
    paths: notDecrypted,
  },
  {
    name: "the header of one file with the ciphertext of another",
    outcome: NOTHING_RELEASED,
    attacks: serve((file, { other }) => Buffer.concat([file.subarray(0, 28), other.encrypted.subarray(28)])),
    paths: notDecrypted,
  },
  {
    name: "a file that a recipient made with the right key",
    outcome:
      "everyone who has a file's key can make another file that it opens; its content id refutes it wherever the file can be verified, and `strict`, `commitment` and `verifyCid: true` require that",
    async attacks({ target }) {
      const forged = await encryptAs("made by a recipient", target);
      return [{ kind: "tamper-content", cid: target.cid, change: () => forged }];
    },
    paths: {
      decrypt: "CID_MISMATCH",
      "decrypt, strict": "CID_MISMATCH",
      "decrypt, commitment": "CID_MISMATCH",
      "share link": "CID_MISMATCH",
      "share link, strict": "CID_MISMATCH",
      "recovery kit, strict": "CID_MISMATCH",
      download: "CID_MISMATCH",
      "download, verifyCid": "CID_MISMATCH",
    },
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
