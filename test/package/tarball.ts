import { execFile } from "node:child_process";
import { cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import packageJson from "../../package.json" with { type: "json" };
import { packages } from "../../scripts/packages.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const execute = promisify(execFile);

/** Returns the tarballs of this checkout, by the package's name, in `folder`: those of the test script, or new ones. */
export async function packageTarballs(folder: string): Promise<Record<string, string>> {
  const to = join(folder, "tarballs");
  const packed = process.env["KEEPLIGHT_TARBALLS"];
  if (packed) await cp(packed, to, { recursive: true });
  else {
    await execute(process.execPath, ["scripts/build.mjs"], { cwd: root });
    await mkdir(to, { recursive: true });
    for (const { folder: from } of packages) {
      await execute("npm", ["pack", "--ignore-scripts", "--pack-destination", to], { cwd: join(root, from) });
    }
  }
  return Object.fromEntries(packages.map(({ name }) => [name, join(to, fileName(name))]));
}

/** Returns the tarball of one package, in `folder`. */
export async function packageTarball(folder: string, name = "keeplight"): Promise<string> {
  const { [name]: tarball } = await packageTarballs(folder);
  if (tarball === undefined) throw new Error(`No package ${name} is published`);
  return tarball;
}

/** Returns the dependencies of a package.json on the packed packages of these names. */
export async function tarballDependencies(folder: string, names: readonly string[]): Promise<Record<string, string>> {
  const tarballs = await packageTarballs(folder);
  return Object.fromEntries(names.map((name) => [name, `file:${tarballs[name]}`]));
}

/** The name that npm gives to a package's tarball. */
function fileName(name: string): string {
  return `${name.replace("@", "").replace("/", "-")}-${packageJson.version}.tgz`;
}
