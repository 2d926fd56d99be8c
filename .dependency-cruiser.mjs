// Which wing of src may import which, from the lowest to the highest. `#platform` leads to both of its implementations,
// depending on RUNTIME.

/** @type {Record<string, string[]>} */
const mayImport = {
  base: [],
  platform: ["base"],
  formats: ["base", "platform"],
  network: ["base", "platform", "formats"],
  journal: ["base", "platform", "formats"],
  keys: ["base", "platform", "formats", "network", "journal"],
  storage: ["base", "platform", "formats", "network", "journal", "keys"],
  payment: ["base", "platform", "formats", "network", "journal", "keys", "storage"],
  kit: ["base", "platform", "formats", "network", "journal", "keys", "storage", "payment"],
  "service-worker": ["base", "network"],
  index: ["base", "platform", "formats", "network", "journal", "keys", "storage", "payment", "kit"],
  // The calls of another package, over the public functions; two of them, which the kit does not have, over HTTP, and
  // uploads with a header that the kit does not send.
  compat: ["base", "network", "storage", "index"],
  query: ["index"],
  react: ["base", "index", "journal", "network", "service-worker", "storage"],
  // It runs the kit's own steps, each recorded in a ledger.
  bulk: ["base", "platform", "formats", "network", "journal", "storage", "payment"],
  // A plan for what has changed, its ledger, and a reader of what is stored.
  backup: ["base", "platform", "formats", "network", "journal", "keys", "storage", "bulk"],
  // The table that tests and the build read must load nothing of the package.
  cli: ["base", "backup", "bulk", "devnet", "index"],
  // It passes on what others send: the kit's requests and errors, not its public functions.
  server: ["base", "platform", "network", "storage"],
  // The other side of the wire: it must not share the client's mistakes.
  devnet: ["base"],
};

const pathOf = (room) => `^src/${room}(/|\\.ts$)`;

/** @type {import("dependency-cruiser").IConfiguration} */
export default {
  forbidden: [
    { name: "no-circular-files", severity: "error", from: {}, to: { circular: true } },
    {
      name: "no-unknown-room",
      severity: "error",
      from: { path: "^src/", pathNot: Object.keys(mayImport).map(pathOf) },
      to: {},
    },
    ...Object.entries(mayImport).map(([room, allowed]) => ({
      name: `${room}-imports-rooms-below`,
      severity: "error",
      from: { path: pathOf(room) },
      to: { path: "^src/", pathNot: [room, ...allowed].map(pathOf) },
    })),
    ...["node", "browser"].map((runtime) => ({
      name: `${runtime}-only-through-platform`,
      comment: `The code of one runtime is reached through #platform only.`,
      severity: "error",
      // Jobs and backups run in Node alone, and lock their folders like journals.
      from: {
        path: "^src/",
        pathNot: [`^src/platform/${runtime}/`, ...(runtime === "node" ? ["^src/(bulk|backup)/"] : [])],
      },
      to: { path: `^src/platform/${runtime}/`, dependencyTypesNot: ["aliased-subpath-import"] },
    })),
    {
      name: "node-modules-only-in-node",
      severity: "error",
      from: { path: "^src/", pathNot: ["^src/platform/node/", "^src/(bulk|backup)/", "^src/devnet/", "^src/cli/"] },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "package-only-on-demand-in-cli",
      comment: "Help and completions must not wait for it.",
      severity: "error",
      from: { path: "^src/cli/" },
      to: {
        path: "^src/(index\\.ts|backup/|bulk/|devnet/)",
        dependencyTypesNot: ["dynamic-import", "type-only", "type-import"],
      },
    },
    { name: "resolvable", severity: "error", from: { path: "^src/" }, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    includeOnly: "^src/|node_modules",
    tsConfig: { fileName: "tsconfig.json" },
    // Types make circles too.
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      conditionNames: ["keeplight-source", process.env.RUNTIME ?? "node", "default"],
      exportsFields: ["exports"],
    },
  },
};
