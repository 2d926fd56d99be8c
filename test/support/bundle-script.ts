import { pbkdf2 } from "node:crypto";
import { mkdir, mkdtemp } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";

/** What a child process loads first: it derives keys by as many iterations as this one. */
const inject =
  Symbol.for("keeplight/test/few-iterations") in pbkdf2
    ? [fileURLToPath(new URL("./few-iterations.mjs", import.meta.url))]
    : [];

/** Bundles the script of a child process into a folder, so that it starts fast; returns its path. */
export async function bundleScript(folder: string, script: URL): Promise<string> {
  const outfile = join(folder, "child.mjs");
  await build({
    entryPoints: [fileURLToPath(script)],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    conditions: ["keeplight-source"],
    inject,
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    logLevel: "silent",
  });
  return outfile;
}

/** Leaves third parties where they are installed. Our own packages are bundled from their sources, which may not be built. */
const thirdPartiesApart: Plugin = {
  name: "third-parties-apart",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^[^./#]/ }, ({ path, kind }) =>
      kind === "entry-point" || /^(keeplight|@keeplight)(\/|$)/.test(path) ? undefined : { path, external: true },
    ),
};

/** Bundles a script that requires native packages: where it finds those that are installed, in a new folder. */
export async function bundleBesidePackages(script: URL): Promise<string> {
  const source = fileURLToPath(script);
  const cache = fileURLToPath(new URL("../../node_modules/.cache/", import.meta.url));
  await mkdir(cache, { recursive: true });
  const outfile = join(await mkdtemp(join(cache, `${basename(source, ".ts")}-`)), "child.mjs");
  await build({
    entryPoints: [source],
    outfile,
    bundle: true,
    splitting: false,
    format: "esm",
    platform: "node",
    conditions: ["keeplight-source"],
    inject,
    plugins: [thirdPartiesApart],
    logLevel: "silent",
  });
  return outfile;
}
