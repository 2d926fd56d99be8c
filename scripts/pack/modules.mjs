// @ts-check
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build, transform } from "esbuild";

/**
 * Copies the modules of a package that its entries import, at once or later. Each stays a file of its own: a page's
 * bundler puts a whole file where any part of it is needed. Comments stay behind: editors read those of the declarations.
 *
 * @param {string} from - folder of the package
 * @param {string} to
 * @param {readonly string[]} targets - what package.json names, relative to `from`
 */
export async function copyModules(from, to, targets) {
  const { metafile } = await build({
    absWorkingDir: from,
    entryPoints: targets.filter((path) => path.endsWith(".js")),
    bundle: true,
    packages: "external",
    external: ["#*"],
    format: "esm",
    outdir: "out",
    write: false,
    metafile: true,
    treeShaking: false,
    logLevel: "error",
  });
  for (const path of Object.keys(metafile.inputs)) {
    const { code } = await transform(readFileSync(join(from, path), "utf8"), { format: "esm", target: "esnext" });
    mkdirSync(dirname(join(to, path)), { recursive: true });
    writeFileSync(join(to, path), code);
  }
}
