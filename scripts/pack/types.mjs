// @ts-check
import { join } from "node:path";
import { rollup } from "rollup";
import { dts } from "rollup-plugin-dts";

/**
 * Writes the types of a package's entries: one file each, and files that entries share, in place of one for every module.
 *
 * @param {string} from - folder of the package
 * @param {string} to
 * @param {readonly string[]} targets - what package.json names, relative to `from`
 */
export async function bundleTypes(from, to, targets) {
  const entries = targets.flatMap((path) => /^\.\/dist\/(.*)\.(?:js|d\.ts)$/.exec(path)?.[1] ?? []);
  const bundle = await rollup({
    input: Object.fromEntries(entries.map((entry) => [entry, join(from, "dist", `${entry}.d.ts`)])),
    plugins: [dts()],
    external: /^[^./]/,
    onwarn(warning) {
      // Types that no entry exports by name can be inferred all the same.
      if (warning.plugin !== "dts") throw new Error(warning.message);
    },
  });
  await bundle.write({ dir: join(to, "dist"), entryFileNames: "[name].d.ts", chunkFileNames: "types/[name].ts" });
}
