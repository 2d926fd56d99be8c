import { defineConfig, type Options } from "tsup";

const common = {
  format: "esm",
  outDir: "dist",
  sourcemap: true,
  // The project's own sources are in the package, beside dist.
  esbuildOptions: (options) => {
    options.sourcesContent = false;
  },
  removeNodeProtocol: false,
  silent: true,
} satisfies Options;

/** Bundled CommonJS packages call `require` for Node's own modules. */
const requireBanner = {
  js: 'import { createRequire as createRequireOfBundle } from "node:module";\nconst require = createRequireOfBundle(import.meta.url);',
};

export default defineConfig([
  {
    ...common,
    entry: {
      index: "src/index.ts",
      "react/index": "src/react/index.ts",
      "platform/node": "src/platform/node/index.ts",
      "platform/browser": "src/platform/browser/index.ts",
    },
    // One build for the entries, so that they share their error classes and tables instead of having copies.
    splitting: true,
    platform: "neutral",
    target: "es2022",
    external: [/^#/, /^node:/, /^react($|\/)/],
    dts: !process.argv.includes("--no-types") && {
      entry: { index: "src/index.ts", "react/index": "src/react/index.ts", "devnet/index": "src/devnet/index.ts" },
      compilerOptions: { ignoreDeprecations: "6.0" },
    },
  },
  // axios is carried along: an installed package would be thirty.
  {
    ...common,
    entry: { "axios/node": "src/http/axios/node.ts" },
    platform: "node",
    target: "node20",
    splitting: false,
    noExternal: [/./],
    banner: requireBanner,
  },
  {
    ...common,
    entry: { "axios/xhr": "src/http/axios/xhr.ts", "axios/fetch": "src/http/axios/fetch.ts" },
    platform: "browser",
    target: "es2022",
    splitting: true,
    noExternal: [/./],
  },
  {
    ...common,
    entry: { "devnet/index": "src/devnet/index.ts" },
    platform: "node",
    target: "node20",
    splitting: false,
    banner: requireBanner,
  },
]);
