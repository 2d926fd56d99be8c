import { readdirSync } from "node:fs";
import { dirname, posix, relative, resolve, sep } from "node:path";
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

const source = resolve("src");

/** Where a source file's code goes, below dist and without its ending: to where package.json looks for it. */
function placeOf(file: string): string {
  const path = relative(source, file).split(sep).join("/");
  return path.replace(/^(platform\/(?:node|browser))\/index\.ts$/, "$1").replace(/\.ts$/, "");
}

/** Every source file of the package but those that are bundled below. */
const modules = readdirSync(source, { recursive: true, encoding: "utf8" })
  .map((name) => resolve(source, name))
  .filter((file) => /(?<!\.d)\.ts$/.test(file) && !/^(devnet|http\/axios)\//.test(placeOf(file)));

/**
 * Leaves modules apart. A page's bundler puts a whole file where any part of it is needed at once, so that in one big
 * file nothing could be loaded later.
 */
const modulesApart: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "modules-apart",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.?\// }, ({ path, importer }) => {
      const to = placeOf(resolve(dirname(importer), path));
      const from = posix.dirname(placeOf(importer));
      return { path: `${posix.relative(from, to).replace(/^(?!\.)/, "./")}.js`, external: true, sideEffects: false };
    });
  },
};

/** Leaves out of axios what writes its `params` as a query, a good part of it: this kit's URLs are whole. */
const withoutParams: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "without-params",
  setup({ onLoad }) {
    const contents = "export default () => { throw new TypeError('params are not in this build'); }";
    onLoad({ filter: /axios[\\/]lib[\\/]helpers[\\/]toFormData\.js$/ }, () => ({ contents }));
  },
};

/** Bundled CommonJS packages call `require` for Node's own modules. */
const requireBanner = {
  js: 'import { createRequire as createRequireOfBundle } from "node:module";\nconst require = createRequireOfBundle(import.meta.url);',
};

export default defineConfig([
  {
    ...common,
    entry: Object.fromEntries(modules.map((file) => [placeOf(file), file])),
    esbuildPlugins: [modulesApart],
    splitting: false,
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
    esbuildPlugins: [withoutParams],
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
