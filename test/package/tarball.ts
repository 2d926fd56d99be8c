import { execFile } from "node:child_process";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import packageJson from "../../package.json" with { type: "json" };
import { packages, tarballName } from "../../scripts/packages.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const execute = promisify(execFile);

/** Names of all packages that are published, each after those that it requires. */
export const packageNames: readonly string[] = packages.map(({ name }) => name);

/** Returns the tarballs of this checkout, by the package's name, in `folder`: those of the test script, or new ones. */
export async function packageTarballs(folder: string): Promise<Record<string, string>> {
  const to = join(folder, "tarballs");
  const packed = process.env["KEEPLIGHT_TARBALLS"];
  if (packed) await cp(packed, to, { recursive: true });
  else {
    await execute(process.execPath, ["scripts/build.mjs"], { cwd: root });
    await execute(process.execPath, ["scripts/pack.mjs", to], { cwd: root });
  }
  return Object.fromEntries(packageNames.map((name) => [name, join(to, tarballName(name, packageJson.version))]));
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

/** Reads a file of a tarball. */
export async function readPacked(tarball: string, path: string): Promise<string> {
  const { stdout } = await execute("tar", ["-xzOf", tarball, `package/${path}`]);
  return stdout;
}

/** Lists the files of a tarball. */
export async function listPacked(tarball: string): Promise<string[]> {
  const { stdout } = await execute("tar", ["-tzf", tarball]);
  return stdout
    .trim()
    .split("\n")
    .map((path) => path.replace(/^package\//, ""));
}
