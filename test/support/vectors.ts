import interopJson from "../vectors/incumbent-interop.json" with { type: "json" };
import wycheproofJson from "../vectors/wycheproof-aes-256-gcm.json" with { type: "json" };

/** One AES-256-GCM case of Wycheproof; all bytes as hex. */
export interface WycheproofCase {
  tcId: number;
  comment: string;
  key: string;
  iv: string;
  aad: string;
  msg: string;
  ct: string;
  tag: string;
  result: "valid" | "invalid";
}

/** One shard as it is sent: both fields as hex. */
interface ShardVector {
  key: string;
  index: string;
}

/** Files and shards of older clients, recorded once. */
export interface InteropVectors {
  /** Encrypted files; plaintext and ciphertext in base64. */
  files: { label: string; masterKey: string; keyShards: ShardVector[]; plaintext: string; ciphertext: string }[];
  /** Keys generated together with their shards. */
  shards: { threshold: number; keyCount: number; masterKey: string; keyShards: ShardVector[] }[];
  /** Existing keys, split with one coefficient too many: three shards do not recover the key, four and five do. */
  sharded: {
    key: string;
    isShardable: boolean;
    keyShards: ShardVector[];
    recoveredFromFive: string;
    recoveredFromFour: string;
    recoveredFromThree: string;
  }[];
  /** Keys inside and outside of the BLS12-381 scalar field. */
  unshardable: { key: string; isShardable: boolean }[];
}

/** Vectors recorded from the older clients; the same in Node and in browsers. */
export const interopVectors: InteropVectors = interopJson;

/** The Wycheproof cases for AES-256-GCM with a 96-bit iv and a 128-bit tag. */
export const wycheproofCases = wycheproofJson.tests as WycheproofCase[];
