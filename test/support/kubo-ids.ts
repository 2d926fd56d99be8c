import { createCipheriv, createHash } from "node:crypto";

// CIDs that Kubo computes with its defaults: those of strings as `ipfs add` prints them, those of large files from its
// own import tests.

const KIB = 1024;
const MIB = 1024 * KIB;

/** A file with this content. */
export const textIds = [
  { text: "hello world\n", version: 0, cid: "QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o" },
  { text: "hello world\n", version: 1, cid: "bafkreifjjcie6lypi6ny7amxnfftagclbuxndqonfipmb64f2km2devei4" },
  { text: "hello world", version: 0, cid: "Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD" },
  { text: "hello world", version: 1, cid: "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e" },
  { text: "", version: 0, cid: "QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH" },
  { text: "", version: 1, cid: "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku" },
] as const;

/** A file `hello.txt` of "hello world\n", wrapped with a folder. */
export const wrappedIds = [
  { version: 0, cid: "QmfLiVjH2vujCVP2e75zyzBYmpcjktmDeU1YBz6Ct8BBsc" },
  { version: 1, cid: "bafybeidhkumeonuwkebh2i4fc7o7lguehauradvlk57gzake6ggjsy372a" },
] as const;

/** The first `bytes` bytes of the {@link keystream} of a seed, in leaves of `leafBytes`. */
export const keystreamIds = [
  {
    name: "174 leaves, one level",
    seed: "v0-seed",
    bytes: 44_544 * KIB,
    version: 0,
    leafBytes: 256 * KIB,
    cid: "QmUbBALi174SnogsUzLpYbD4xPiBSFANF4iztWCsHbMKh2",
  },
  {
    name: "175 leaves, two levels",
    seed: "v0-seed",
    bytes: 44_800 * KIB,
    version: 0,
    leafBytes: 256 * KIB,
    cid: "QmepeWtdmS1hHXx1oZXsPUv6bMrfRRKfZcoPPU4eEfjnbf",
  },
  {
    name: "174 raw leaves of 1 MiB",
    seed: "v1-seed",
    bytes: 174 * MIB,
    version: 1,
    leafBytes: MIB,
    cid: "bafybeigwduxcf2aawppv3isnfeshnimkyplvw3hthxjhr2bdeje4tdaicu",
  },
  {
    name: "175 raw leaves of 1 MiB",
    seed: "v1-seed",
    bytes: 175 * MIB,
    version: 1,
    leafBytes: MIB,
    cid: "bafybeidhd7lo2n2v7lta5yamob3xwhbxcczmmtmhquwhjesi35jntf7mpu",
  },
] as const;

/** The bytes that Kubo's own tests hash: ChaCha20, key SHA-256 of the seed, zero nonce. */
export function* keystream(seed: string, size: number): Generator<Uint8Array> {
  const cipher = createCipheriv("chacha20", createHash("sha256").update(seed).digest(), Buffer.alloc(16));
  const zeros = Buffer.alloc(300_000);
  for (let left = size; left > 0; left -= zeros.length) yield cipher.update(zeros.subarray(0, left));
}
