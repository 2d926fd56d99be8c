import { transform } from "esbuild";
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
    options.chunkNames = "chunks/[name]-[hash]";
  },
} satisfies Options;

/**
 * Turns modules into CommonJS: esbuild splits only ES modules. `import()` becomes `require` too, as test runners load
 * CommonJS where there are no ES modules.
 */
const toCommonjs: NonNullable<Options["plugins"]>[number] = {
  name: "to-commonjs",
  async renderChunk(code) {
    const noImport = { "dynamic-import": false };
    // A page never loads it, and nobody reads it.
    return transform(code, {
      format: "cjs",
      platform: "node",
      target: "node20",
      supported: noImport,
      minify: true,
    });
  },
};

export default defineConfig([
  {
    ...common,
    entry: {
      index: "src/index.ts",
      "parts/index": "src/parts/index.ts",
      "parts/node": "src/parts/node.ts",
      "service-worker/index": "src/service-worker/index.ts",
    },
    outDir: "dist/cjs",
    format: "esm",
    plugins: [toCommonjs],
    // What entries share is in files of its own: a class is one class, whichever entry exports it.
    splitting: true,
    // Dependencies that have no CommonJS are carried along.
    noExternal: [/^@noble\//, /^@scure\//, /^age-encryption$/, /^qr$/],
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
