import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { appendFile, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** A copy of the checkout, whose `dist` no other test reads. */
let copy: string;

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), "keeplight-build-"));
  const inputs = ["src", "packages", "scripts", "package.json", "package-lock.json", "tsconfig.json", "tsup.config.ts"];
  const filter = (path: string) => !/[\\/]packages[\\/][^\\/]+[\\/](dist|test)$/.test(path);
  for (const path of inputs) {
    if (existsSync(join(root, path))) await cp(join(root, path), join(copy, path), { recursive: true, filter });
  }
  // Other packages are this checkout's; our own are those of the copy, whose build the packages are compiled against.
  const installed = await readdir(join(root, "node_modules"));
  await mkdir(join(copy, "node_modules"));
  for (const name of installed.filter((name) => name !== "keeplight" && name !== "@keeplight"))
    await symlink(join(root, "node_modules", name), join(copy, "node_modules", name), "junction");
  await symlink(copy, join(copy, "node_modules/keeplight"), "junction");
  await mkdir(join(copy, "node_modules/@keeplight"));
  for (const name of await readdir(join(copy, "packages")))
    await symlink(join(copy, "packages", name), join(copy, "node_modules/@keeplight", name), "junction");
});

afterAll(() => rm(copy, { recursive: true, force: true }));

async function build(): Promise<string> {
  return (await promisify(execFile)(process.execPath, ["scripts/build.mjs"], { cwd: copy })).stdout;
}

const read = (path: string) => readFile(join(copy, path), "utf8");

test("a second build keeps what the first wrote, until a source has changed", async () => {
  expect(await build()).not.toContain("up to date");
  expect(await build()).toBe("dist is up to date\n");

  await appendFile(join(copy, "src/base/config/limits.ts"), "\n/** Added. */\nexport const added = 1;\n");
  await appendFile(join(copy, "src/index.ts"), '\nexport { added } from "./base/config/limits.ts";\n');
  expect(await build()).not.toContain("up to date");
  expect(await read("dist/base/config/limits.js")).toContain("added");
  expect(await read("dist/index.d.ts")).toContain("added");
  expect(await build()).toBe("dist is up to date\n");
});

test("a type error fails the build, and the next one does not take what it left", async () => {
  await appendFile(join(copy, "src/index.ts"), '\nexport const wrong: number = "text";\n');
  await expect(build()).rejects.toMatchObject({ stdout: expect.stringContaining("TS2322") });
  await expect(build()).rejects.toMatchObject({ stdout: expect.stringContaining("TS2322") });
});
