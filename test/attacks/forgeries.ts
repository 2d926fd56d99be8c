import { createCipheriv, pbkdf2Sync, randomBytes } from "node:crypto";
import { type KeyShard, kavachShardKey, type ShardScheme } from "../../src/index.ts";
import { multiplyByDefinition } from "../aes-gcm/multiply.ts";

/** Makes shards of another random key for these nodes, on one polynomial. */
export async function makeOtherShards(
  nodes: readonly number[],
  {
    scheme,
    threshold,
    masterKey = randomBytes(32).toString("hex").replace(/^./, "0"),
  }: {
    scheme?: ShardScheme;
    threshold?: number;
    masterKey?: string;
  } = {},
): Promise<{ masterKey: string; shards: Record<number, KeyShard> }> {
  const { keyShards } = await kavachShardKey(masterKey, { scheme, threshold, keyCount: 5 });
  const shards = Object.fromEntries(nodes.map((node) => [node, keyShards[node - 1] as KeyShard]));
  return { masterKey, shards };
}

const BLOCK = 16;

/**
 * Makes an encrypted file that two keys open, each with another content: AES-GCM does not commit to its key. Of its
 * three blocks, the first is readable under the first key and the second under the second key; the third makes both
 * tags equal (Dodis, Grubbs, Ristenpart and Woodage, "Fast Message Franking", 2018).
 */
export function makeTwoKeyFile(masterKeys: readonly [string, string], texts: readonly [string, string]): Uint8Array {
  const salt = randomBytes(16);
  const iv = randomBytes(12);
  const [one, two] = masterKeys.map((key) => createView(pbkdf2Sync(key, salt, 250_000, 32, "sha256"), iv)) as [
    View,
    View,
  ];
  const blocks = [texts[0], texts[1]].map((text, at) => {
    const plain = BigInt(`0x${Buffer.from(text.padEnd(BLOCK).slice(0, BLOCK)).toString("hex")}`);
    return plain ^ (at === 0 ? one : two).stream(at);
  });
  const last = 2;
  const open = [...blocks, 0n];
  // The tags differ by this much; the last block counts as H² in each of them.
  const difference = one.tag(open) ^ two.tag(open);
  const weight = power(one.h, last) ^ power(two.h, last);
  const file = [...blocks, multiplyByDefinition(difference, invert(weight))];
  return Buffer.concat([salt, iv, ...file.map(toBytes), toBytes(one.tag(file))]);
}

/** What a key makes of a file: its hash key, its keystream and its tags. */
interface View {
  h: bigint;
  stream(block: number): bigint;
  tag(ciphertext: readonly bigint[]): bigint;
}

function createView(fileKey: Uint8Array, iv: Uint8Array): View {
  const encryptBlock = (counter: Uint8Array) => {
    const cipher = createCipheriv("aes-256-ecb", fileKey, null).setAutoPadding(false);
    return BigInt(`0x${cipher.update(counter).toString("hex")}`);
  };
  const count = (counter: number) => encryptBlock(Buffer.concat([iv, Buffer.of(0, 0, 0, counter)]));
  const h = encryptBlock(new Uint8Array(BLOCK));
  return {
    h,
    stream: (block) => count(block + 2),
    tag(ciphertext) {
      const length = BigInt(ciphertext.length * BLOCK * 8);
      return [...ciphertext, length].reduce((state, block) => multiplyByDefinition(state ^ block, h), 0n) ^ count(1);
    },
  };
}

function toBytes(block: bigint): Uint8Array {
  return Buffer.from(block.toString(16).padStart(2 * BLOCK, "0"), "hex");
}

/** Of at least the first power. */
function power(base: bigint, exponent: number): bigint {
  return Array.from({ length: exponent - 1 }).reduce<bigint>((product) => multiplyByDefinition(product, base), base);
}

/** x⁻¹ = x^(2^128 − 2). */
function invert(value: bigint): bigint {
  let square = multiplyByDefinition(value, value);
  let product = square;
  for (let bit = 2; bit < 128; bit++) {
    square = multiplyByDefinition(square, square);
    product = multiplyByDefinition(product, square);
  }
  return product;
}
