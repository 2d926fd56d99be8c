import type { FiveShards } from "../../src/index.ts";

/** CID of a file on the tests' servers: "hello world", raw, version 1. */
export const cid = "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e";

/** CID by a hash that this kit does not compute: the tests' servers may send any bytes for it. */
export const opaqueCid = "bafk2bzaceadqobyha4dqobyha4dqobyha4dqobyha4dqobyha4dqobyha4dqo";

export const address = "0x00000000000000000000000000000000000000aa";

/** Key-node credentials of {@link address}. */
export const owner = { address, authToken: "jwt:token" };

/** A sign-in message of the key nodes. */
export const nodeMessage =
  "Please sign this message to prove you are owner of this account: 3f0c7a52-8a51-4c4e-9b6d-1f2e3d4c5b6a";

/** A sign-in message of the API host. */
export const hostMessage = "Please prove you are the owner of this wallet by signing this message, nonce=7";

/** A well-formed EVM signature that signs nothing. */
export const signature = `0x${"5e".repeat(65)}`;

/** Shards of a key that is zero. */
export const keyShards = [1, 2, 3, 4, 5].map((index) => ({
  key: "0".repeat(64),
  index: String(index).padStart(64, "0"),
})) as FiveShards;
