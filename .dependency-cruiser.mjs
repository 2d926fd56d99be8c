// Which room of src may import which, from the lowest to the highest. Rooms are folders, or files directly in src. A
// room imports rooms above its own line in this table only if the line names them; `#platform` leads to both of its
// implementations, depending on RUNTIME.

/** @type {Record<string, string[]>} */
const mayImport = {
  errors: [],
  config: ["errors"],
  async: ["config", "errors"],
  streams: ["errors"],
  "aes-gcm": ["errors", "streams"],
  platform: ["aes-gcm", "config", "errors"],
  cid: ["errors", "platform", "streams"],
  validation: ["async", "cid", "errors"],
  options: ["config", "errors", "validation"],
  crypto: ["aes-gcm", "async", "errors", "platform", "streams", "validation"],
  http: ["async", "config", "errors", "options", "platform", "streams"],
  ethereum: ["errors", "http"],
  "access-conditions": ["errors", "ethereum", "options", "validation"],
  kavach: ["access-conditions", "async", "config", "errors", "http", "options", "validation"],
  transfer: [
    "async",
    "cid",
    "config",
    "crypto",
    "errors",
    "http",
    "kavach",
    "options",
    "platform",
    "streams",
    "validation",
  ],
  account: ["async", "errors", "http", "options", "validation"],
  files: ["async", "http", "options", "validation"],
  ipns: ["http", "options", "validation"],
  proof: ["cid", "errors", "http", "options", "validation"],
  payment: [
    "account",
    "async",
    "config",
    "errors",
    "ethereum",
    "http",
    "options",
    "platform",
    "transfer",
    "validation",
  ],
  "kit-binders": ["kavach", "options", "platform", "transfer", "validation"],
  kit: [
    "access-conditions",
    "account",
    "crypto",
    "files",
    "ipns",
    "kavach",
    "kit-binders",
    "options",
    "payment",
    "proof",
    "transfer",
    "validation",
  ],
  index: [
    "access-conditions",
    "account",
    "config",
    "crypto",
    "errors",
    "ethereum",
    "files",
    "ipns",
    "kavach",
    "kit",
    "kit-binders",
    "options",
    "payment",
    "platform",
    "proof",
    "transfer",
    "validation",
  ],
  react: ["errors", "ethereum", "index"],
  // The other side of the wire: it must not share the client's mistakes.
  devnet: ["config", "errors"],
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
      from: { path: "^src/", pathNot: `^src/platform/${runtime}/` },
      to: { path: `^src/platform/${runtime}/`, dependencyTypesNot: ["aliased-subpath-import"] },
    })),
    {
      name: "node-modules-only-in-node",
      severity: "error",
      from: { path: "^src/", pathNot: ["^src/platform/node/", "^src/devnet/"] },
      to: { dependencyTypes: ["core"] },
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
