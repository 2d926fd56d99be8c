// All entries of the SDK, for its CommonJS.
export * as index from "../src/index.ts";
export * as parts from "../src/parts/index.ts";
export * as partsNode from "../src/parts/node.ts";
