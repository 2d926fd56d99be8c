import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { listPacked, packageNames, packageTarballs, readPacked } from "./tarball.ts";

const execute = promisify(execFile);
const MAX_BYTES = 685_000;
const MAX_FILES = 511;

let folder: string;
let tarballs: Record<string, string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "keeplight-packed-"));
  tarballs = await packageTarballs(folder);
}, 600_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

const tarballOf = (name: string) => tarballs[name] ?? "";

describe.each(packageNames)("%s", (name) => {
  test("says what it is, under which licence, and has what package.json names", async () => {
    const files = await listPacked(tarballOf(name));
    expect(files).toEqual(expect.arrayContaining(["LICENSE", "README.md", "package.json"]));
    const manifest = JSON.parse(await readPacked(tarballOf(name), "package.json"));
    // Manuals are a list: npm links no single one when a package is installed globally.
    const named = [manifest.main, manifest.types, ...(manifest.man ?? []), ...Object.values<string>(manifest.bin ?? {})]
      .concat(listNames(manifest.exports), listNames(manifest.imports))
      .filter((path) => path !== undefined && !path.includes("*"))
      .map((path) => path.replace(/^\.\//, ""));
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((path) => !files.includes(path))).toEqual([]);
  });

  test("has no sources, maps or tests, and nothing of a checkout", async () => {
    const files = await listPacked(tarballOf(name));
    expect(files.filter((path) => /(?<!\.d)\.[cm]?tsx?$|\.map$|\.stamp$|(^|\/)tests?\//.test(path))).toEqual([]);
    const text = await readPacked(tarballOf(name), "package.json");
    expect(text).not.toContain("keeplight-source");
    const manifest = JSON.parse(text);
    expect(manifest).not.toHaveProperty("workspaces");
    expect(manifest).not.toHaveProperty("scripts");
    expect(manifest).not.toHaveProperty("devDependencies");
  });

  test("requires every package that its modules and types import", async () => {
    const unpacked = await mkdtemp(join(folder, "unpacked-"));
    await execute("tar", ["-xzf", tarballOf(name), "-C", unpacked]);
    const { dependencies, peerDependencies } = JSON.parse(await readPacked(tarballOf(name), "package.json"));
    const declared = [name, ...Object.keys({ ...dependencies, ...peerDependencies })];
    const files = (await listPacked(tarballOf(name))).filter((path) => /\.c?[jt]s$/.test(path));
    const imported = files.flatMap((path) => {
      const { importedFiles } = ts.preProcessFile(readFileSync(join(unpacked, "package", path), "utf8"), true, true);
      return importedFiles.map(({ fileName }) => fileName);
    });
    const packages = imported
      .filter((specifier) => !/^[.#]/.test(specifier) && !isBuiltin(specifier))
      .map((specifier) => /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier);
    expect(packages.length).toBeGreaterThan(0);
    expect([...new Set(packages)].filter((used) => !declared.includes(used))).toEqual([]);
  });

  test("is of the version of the set, and requires the others at that version", async () => {
    const manifest = JSON.parse(await readPacked(tarballOf(name), "package.json"));
    expect(manifest.version).toBe(packageJson.version);
    const others = Object.entries<string>({ ...manifest.dependencies, ...manifest.peerDependencies }).filter(
      ([dependency]) => packageNames.includes(dependency),
    );
    expect(others.filter(([, range]) => range !== packageJson.version)).toEqual([]);
    // They are published in this order.
    const before = packageNames.slice(0, packageNames.indexOf(name));
    expect(others.filter(([dependency]) => !before.includes(dependency))).toEqual([]);
  });
});

test(`keeplight has at most ${MAX_BYTES} bytes in ${MAX_FILES} files`, async () => {
  const { size } = await stat(tarballOf("keeplight"));
  const files = await listPacked(tarballOf("keeplight"));
  console.log(`keeplight, packed: ${size} bytes in ${files.length} files`);
  expect(size).toBeLessThanOrEqual(MAX_BYTES);
  expect(files.length).toBeLessThanOrEqual(MAX_FILES);
});

function listNames(value: unknown): string[] {
  return typeof value === "string" ? [value] : Object.values(value ?? {}).flatMap((target) => listNames(target));
}
