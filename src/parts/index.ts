// Building blocks for packages on top of this one: docs/parts.md. They follow the package's version, not the promises of the
// main entry: a minor release may change them. What needs a disk is in `keeplight/parts/node`.

// Several lists: a page that is built by esbuild loads at once what any of its later chunks uses of a list, even of this one.

export * from "./drives.ts";
export * from "./files.ts";
export * from "./requests.ts";
export * from "./wallets.ts";
