// @ts-check
// Packs the packages as they are published: `node scripts/pack.mjs FOLDER`, after a build. Copies are packed, in which
// package.json names nothing that only a checkout has; the checkout stays as it is, and others may read it meanwhile.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { listTargets, toPublished } from "./pack/manifest.mjs";
import { copyModules } from "./pack/modules.mjs";
import { copyTypes } from "./pack/types.mjs";
import { packages } from "./packages.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const [, , destination] = process.argv;
if (destination === undefined) throw new Error("Usage: node scripts/pack.mjs FOLDER");
const to = resolve(destination);
mkdirSync(to, { recursive: true });

const scratch = mkdtempSync(join(tmpdir(), "keeplight-pack-"));
try {
  const copies = [];
  for (const { name, folder } of packages) copies.push(await copyPackage(join(root, folder), join(scratch, name)));
  const args = ["pack", "--ignore-scripts", "--silent", "--pack-destination", to, ...copies];
  // Outside of the checkout, npm knows of no workspaces.
  execFileSync("npm", args, { cwd: scratch, stdio: ["ignore", "ignore", "inherit"] });
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/**
 * Copies what is published of a package.
 *
 * @param {string} from
 * @param {string} copy
 * @returns {Promise<string>} `copy`
 */
async function copyPackage(from, copy) {
  const manifest = toPublished(JSON.parse(readFileSync(join(from, "package.json"), "utf8")));
  mkdirSync(copy, { recursive: true });
  writeFileSync(join(copy, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
  cpSync(join(root, "LICENSE"), join(copy, "LICENSE"));
  const files = ["README.md", ...manifest.files.filter((path) => !path.startsWith("!"))];
  // The SDK has hundreds of modules: what no entry leads to is left out.
  const isSdk = manifest.name === "keeplight";
  for (const path of files) {
    if (!existsSync(join(from, path)) || (isSdk && path === "dist")) continue;
    // Nobody imports a command, so it has no use for types.
    const filter = (/** @type {string} */ source) => manifest.exports !== undefined || !source.endsWith(".d.ts");
    cpSync(join(from, path), join(copy, path), { recursive: true, filter });
  }
  if (isSdk) {
    const targets = listTargets(manifest).filter((path) => !path.startsWith("./dist/cjs/"));
    await copyModules(from, copy, targets);
    copyTypes(from, copy, targets);
    cpSync(join(from, "dist/cjs"), join(copy, "dist/cjs"), { recursive: true });
  }
  return copy;
}
