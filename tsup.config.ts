import { defineConfig, type Options } from "tsup";

// CommonJS, for Node. ES modules are compiled file by file; see scripts/compile.mjs.

const common = {
  outExtension: () => ({ js: ".cjs" }),
  platform: "node",
  target: "node20",
  removeNodeProtocol: false,
  metafile: true,
  silent: true,
  esbuildOptions: (options) => {
    // Of `#platform`.
    options.conditions = ["keeplight-source"];
  },
} satisfies Options;

export default defineConfig([
  {
    ...common,
    // One file for all entries: what they share exists once, and is loaded once.
    entry: { all: "scripts/commonjs-entry.ts" },
    outDir: "dist/cjs",
    format: "cjs",
    // Dependencies that have no CommonJS are carried along.
    noExternal: [/^@noble\//, /^@scure\//, /^age-encryption$/, /^qr$/, /^proxy-from-env$/],
    minify: true,
    esbuildOptions: (options) => {
      common.esbuildOptions(options);
      // `import()` becomes `require` too, as test runners load CommonJS where there are no ES modules.
      options.supported = { ...options.supported, "dynamic-import": false };
    },
  },
  {
    ...common,
    entry: ["calls", "config", "shared", "types"].map((name) => `packages/kavach/src/${name}.ts`),
    outDir: "packages/kavach/dist/cjs",
    format: "cjs",
    external: [/^keeplight/],
  },
  {
    ...common,
    entry: ["calls", "config", "types"].map((name) => `packages/lighthouse-sdk/src/${name}.ts`),
    outDir: "packages/lighthouse-sdk/dist/cjs",
    format: "cjs",
    external: [/^keeplight/, /^@keeplight\//, /^ethers/],
  },
]);
