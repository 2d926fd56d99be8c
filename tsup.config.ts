import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
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
  .filter((file) => /(?<!\.d)\.ts$/.test(file) && !/^(cli\/|devnet\/|platform\/node\/axios$)/.test(placeOf(file)));

/**
 * Leaves modules apart. A page's bundler puts a whole file where any part of it is needed at once, so that in one big
 * file nothing could be loaded later.
 */
const modulesApart: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "modules-apart",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.?\// }, ({ path, importer }) => {
      if (!importer.startsWith(source + sep)) return;
      const to = placeOf(resolve(dirname(importer), path));
      const from = posix.dirname(placeOf(importer));
      return { path: `${posix.relative(from, to).replace(/^(?!\.)/, "./")}.js`, external: true, sideEffects: false };
    });
  },
};

/** A bundled package hashes by an older release of what the package depends on anyway. */
const oneNoble: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "one-noble",
  setup({ onLoad }) {
    onLoad({ filter: /sync-multihash-sha2[\\/]src[\\/]sha256[\\/]web\.js$/ }, async ({ path }) => ({
      contents: (await readFile(path, "utf8")).replace("@noble/hashes/sha256", "@noble/hashes/sha2.js"),
    }));
  },
};

/** age's recipients other than X25519 and passphrases are never used: a page with a recovery kit would load their curves. */
const onlyX25519: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "only-x25519",
  setup({ onLoad }) {
    onLoad({ filter: /age-encryption[\\/]dist[\\/](index|recipients)\.js$/ }, async ({ path }) => ({
      contents: (await readFile(path, "utf8"))
        .replace(/^import \{ (.*) \} from "@noble\/(?:post-quantum\/hybrid|curves\/nist)\.js";$/gm, "const $1;")
        .replace(/^const .*;$/gm, (line) =>
          line.includes("=") ? line : line.replace(/\w+(?=[,;])/g, "$& = undefined"),
        )
        .replace(/^export \* as webauthn .*$/m, ""),
    }));
  },
};

/** Bundled CommonJS packages call `require` for Node's own modules. */
const requireBanner = {
  js: 'import { createRequire as createRequireOfBundle } from "node:module";\nconst require = createRequireOfBundle(import.meta.url);',
};

/** The command line loads the package that it is part of. */
const packageApart: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "package-apart",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.?\/.*\.ts$/ }, ({ path, importer }) => {
      const place = placeOf(resolve(dirname(importer), path));
      return place.startsWith("cli/") ? undefined : { path: `../${place}.js`, external: true };
    });
  },
};

export default defineConfig([
  // Modules as they are, with what makes bundlers complain carried along: data-segment, as it is published, has modules
  // that import each other and comments of which Rollup warns, and a bundler that names neither Node nor browsers does
  // not find sync-multihash-sha2.
  {
    ...common,
    entry: Object.fromEntries(modules.map((file) => [placeOf(file), file])),
    esbuildPlugins: [modulesApart, oneNoble, onlyX25519],
    esbuildOptions: (options) => {
      common.esbuildOptions(options);
      options.conditions = ["browser"];
    },
    platform: "neutral",
    target: "es2022",
    external: [/^#/, /^node:/, /^react($|\/)/],
    splitting: false,
  },
  // axios is carried along: an installed package would be thirty.
  {
    ...common,
    entry: { "platform/node/axios": "src/platform/node/axios.ts" },
    platform: "node",
    target: "node20",
    splitting: false,
    noExternal: [/./],
    banner: requireBanner,
  },
  // With its own dependencies inside: an installation has no package more than without them. A command loads only the
  // chunks that it needs.
  {
    ...common,
    entry: { "cli/main": "packages/cli/src/main.ts" },
    esbuildPlugins: [packageApart],
    esbuildOptions: (options) => {
      common.esbuildOptions(options);
      options.chunkNames = "cli/[name]-[hash]";
    },
    platform: "node",
    target: "node20",
    splitting: true,
    noExternal: [/^(?!ethers$|@napi-rs\/)/],
    // Bundled CommonJS packages call `require` for Node's own modules only.
    banner: { js: "const require = (name) => process.getBuiltinModule(name);" },
  },
  {
    ...common,
    entry: { "devnet/index": "packages/devnet/src/index.ts" },
    platform: "node",
    target: "node20",
    splitting: false,
    banner: requireBanner,
  },
]);
