/** CID of a file on the tests' servers: "hello world", raw, version 1. */
export const cid = "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e";

export const address = "0x00000000000000000000000000000000000000aa";

/** Key-node credentials of {@link address}. */
export const owner = { address, authToken: "jwt:token" };

/** A well-formed EVM signature that signs nothing. */
export const signature = `0x${"5e".repeat(65)}`;
