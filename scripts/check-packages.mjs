// @ts-check
// Checks the tarballs in a folder by publint and attw: `node scripts/check-packages.mjs FOLDER`.
import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const execute = promisify(execFile);
const bin = fileURLToPath(new URL("../node_modules/.bin/", import.meta.url));
const folder = process.argv[2] ?? "";
const tarballs = readdirSync(folder).filter((name) => name.endsWith(".tgz"));
if (tarballs.length === 0) throw new Error(`No tarballs in ${folder}`);

/**
 * Lists the checks of a package as commands.
 *
 * @param {string} tarball
 * @returns {Promise<string[][]>}
 */
async function listChecks(tarball) {
  const { stdout } = await execute("tar", ["-xzOf", tarball, "package/package.json"]);
  const { exports = {}, type } = JSON.parse(stdout);
  const publint = ["publint", "run", "--strict", tarball];
  const attw = ["attw", "--no-emoji", tarball];
  // Deep paths of the packages that a drop-in stands in for keep their form, an ES module's default in CommonJS.
  const isDeep = (/** @type {string} */ entry) => entry.startsWith("./dist");
  const entries = Object.keys(exports).filter((entry) => entry !== "./package.json" && !isDeep(entry));
  // A command has no types.
  if (entries.length === 0) return [publint];
  // CommonJS by default. TypeScript's oldest resolution, which ignores `exports`, finds the main entry.
  if (type !== "module") {
    return [publint, [...attw, "--profile", "node16"], [...attw, "--profile", "strict", "--entrypoints", "."]];
  }
  const checks = [publint, [...attw, "--profile", "esm-only", "--entrypoints", ...entries]];
  const required = entries.filter((entry) => JSON.stringify(exports[entry]).includes('"require"'));
  if (required.length > 0) checks.push([...attw, "--profile", "node16", "--entrypoints", ...required]);
  return checks;
}

const checks = (await Promise.all(tarballs.map((name) => listChecks(join(folder, name))))).flat();
const total = checks.length;

/** Runs checks until none is left; shows what those print that fail. */
async function runChecks() {
  for (let check = checks.shift(); check; check = checks.shift()) {
    const [program = "", ...args] = check;
    try {
      await execute(join(bin, program), args, { maxBuffer: 64 * 1024 * 1024 });
    } catch (error) {
      const { stdout, stderr } = /** @type {{ stdout: string, stderr: string }} */ (error);
      console.log(`> ${check.join(" ")}\n${stdout}${stderr}`);
      process.exitCode = 1;
    }
  }
}

await Promise.all(Array.from({ length: availableParallelism() }, runChecks));
console.log(`${total} checks of ${tarballs.length} packages`);
