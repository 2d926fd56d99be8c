// Building blocks for packages on top of this one: docs/parts.md. They follow the package's version, not the promises of the
// main entry: a minor release may change them. What needs a disk is in `keeplight/parts/node`.

export * from "./encrypted-uploads.ts";
export * from "./entries.ts";
export * from "./files.ts";
export * from "./options.ts";
export * from "./schemas.ts";
export * from "./uploads.ts";
export * from "./wallets.ts";
export * from "./work.ts";
