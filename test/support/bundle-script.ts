import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

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
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    logLevel: "silent",
  });
  return outfile;
}
