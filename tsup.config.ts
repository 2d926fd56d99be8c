import { basename } from "node:path";
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
    return transform(code, { format: "cjs", platform: "node", target: "node20", supported: noImport });
  },
};

/** Makes the calls of the drop-ins properties of plain objects, which tests can replace. */
const toPlainObjects: NonNullable<Options["plugins"]>[number] = {
  name: "to-plain-objects",
  renderChunk(code, { path }) {
    if (basename(path) !== "index.cjs") return;
    const calls = "module.exports = { ...module.exports, default: { ...module.exports.default } };";
    return { code: `${code}${calls}\nObject.defineProperty(module.exports, "__esModule", { value: true });\n` };
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
    noExternal: [/^@noble\//, /^@scure\//, /^@web3-storage\/data-segment$/, /^age-encryption$/, /^qr$/],
  },
  {
    ...common,
    entry: ["index", "config", "shared", "types"].map((name) => `packages/kavach/src/${name}.ts`),
    outDir: "packages/kavach/dist/cjs",
    format: "cjs",
    external: [/^keeplight/],
    plugins: [toPlainObjects],
  },
  {
    ...common,
    entry: ["index", "config", "types"].map((name) => `packages/lighthouse-sdk/src/${name}.ts`),
    outDir: "packages/lighthouse-sdk/dist/cjs",
    format: "cjs",
    external: [/^keeplight/, /^@keeplight\//, /^ethers/],
    plugins: [toPlainObjects],
  },
]);
