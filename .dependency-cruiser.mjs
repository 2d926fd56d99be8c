// Which wing of src may import which, from the lowest to the highest, and what packages may import of each other.
// `#platform` leads to both of its implementations, depending on RUNTIME.

const lower = ["base", "platform", "formats"];

/** @type {Record<string, string[]>} */
const mayImport = {
  base: [],
  platform: ["base"],
  formats: ["base", "platform"],
  network: lower,
  journal: lower,
  keys: [...lower, "network", "journal"],
  storage: [...lower, "network", "journal", "keys"],
  payment: [...lower, "network", "journal", "keys", "storage"],
  kit: [...lower, "network", "journal", "keys", "storage", "payment"],
  parts: [...lower, "network", "journal", "keys", "storage", "payment"],
  index: [...lower, "network", "journal", "keys", "storage", "payment", "kit"],
};

const pathOf = (room) => `^src/${room}(/|\\.ts$)`;

/** What a package offers to others. */
const entries = [
  "^src/index\\.ts$",
  "^src/parts/index\\.ts$",
  "^src/parts/node\\.ts$",
  "^packages/[^/]+/src/index\\.ts$",
  "^packages/kavach/src/shared\\.ts$",
  "^packages/media/src/serve-media\\.ts$",
  "^packages/server/src/resumable/index\\.ts$",
];

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
      from: { path: "^src/", pathNot: [`^src/platform/${runtime}/`, "^src/parts/node"] },
      to: { path: `^src/platform/${runtime}/`, dependencyTypesNot: ["aliased-subpath-import"] },
    })),
    {
      name: "node-modules-only-in-node",
      severity: "error",
      from: {
        path: "^(src|packages/(react|server|drive|conditions|media|pay-per-upload|proof|recovery|kavach|lighthouse-sdk|uppy)/src)/",
        pathNot: ["^src/platform/node/", "^packages/server/src/resumable/"],
      },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "media-worker-alone",
      comment:
        "A bundler may put what a page loads, too, where it runs the page's code, which a Service Worker cannot.",
      severity: "error",
      from: { path: "^packages/media/src/(serve-media|messages|content-policy)\\.ts$" },
      to: {
        pathNot: "^packages/media/src/(messages|content-policy)\\.ts$",
        dependencyTypesNot: ["type-only", "type-import"],
      },
    },
    {
      name: "packages-by-their-entries",
      severity: "error",
      from: { path: "^packages/([^/]+)/" },
      to: { path: "^(src|packages)/", pathNot: ["^packages/$1/", ...entries] },
    },
    {
      name: "devnet-imports-types",
      comment: "The other side of the wire must not share the client's mistakes.",
      severity: "error",
      from: { path: "^packages/devnet/" },
      to: { path: "^src/", dependencyTypesNot: ["type-only", "type-import"] },
    },
    {
      name: "loaded-on-demand-in-cli",
      comment: "Help, completions and the manual must wait neither for the SDK nor for what only some commands need.",
      severity: "error",
      from: { path: "^packages/cli/src/" },
      to: {
        path: "^(src|packages/(backup|bulk|conditions|devnet|drive|pay-per-upload|proof|recovery|s3)/src)/|node_modules/(ethers|@aws-sdk|@clack|@bomb\\.sh|@napi-rs|commander|cli-progress)/",
        dependencyTypesNot: ["dynamic-import", "require", "type-only", "type-import"],
      },
    },
    { name: "resolvable", severity: "error", from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    includeOnly: "^src/|^packages/[^/]+/src/|node_modules",
    tsConfig: { fileName: "tsconfig.json" },
    // Types make circles too.
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      conditionNames: ["keeplight-source", process.env.RUNTIME ?? "node", "default"],
      exportsFields: ["exports"],
    },
  },
};
