// The public functions of the SDK, and of the packages that verify proofs and recover files.

export * from "../../packages/proof/src/index.ts";
export * from "../../packages/recovery/src/index.ts";
export * from "../../src/index.ts";
