import { inject, test } from "vitest";
import interopJson from "../vectors/incumbent-interop.json" with { type: "json" };

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

/** One shard as it travels: both as hex. */
interface ShardVector {
  key: string;
  index: string;
}

/** What older clients wrote and split, recorded once. */
export interface InteropVectors {
  /** Files they encrypted; plaintext and ciphertext in base64. */
  files: { label: string; masterKey: string; keyShards: ShardVector[]; plaintext: string; ciphertext: string }[];
  /** Keys they generated together with the shards. */
  shards: { threshold: number; keyCount: number; masterKey: string; keyShards: ShardVector[] }[];
  /** Given keys they split, one coefficient too many: three shards do not recover, four and five do. */
  sharded: {
    key: string;
    isShardable: boolean;
    keyShards: ShardVector[];
    recoveredFromFive: string;
    recoveredFromFour: string;
    recoveredFromThree: string;
  }[];
  /** Keys that fit the BLS12-381 scalar field or do not. */
  unshardable: { key: string; isShardable: boolean }[];
}

/** Vectors recorded from the older clients, in Node and in the browser alike. */
export const interopVectors: InteropVectors = interopJson;

/**
 * The Wycheproof cases for AES-256-GCM with 96-bit iv and 128-bit tag, in Node and in the browser
 * alike. They live beside the repository; where they are absent this adds one skipped test whose
 * name says so, and gives none.
 */
export function wycheproofCases(): WycheproofCase[] {
  const cases = inject("wycheproof");
  if (cases.length === 0) test.skip("Wycheproof vectors are absent: ../shared/vectors/wycheproof-aes-256-gcm.json");
  return cases;
}
