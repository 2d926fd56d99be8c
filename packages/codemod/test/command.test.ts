import { spawnSync } from "node:child_process";
import { chmod, readdir, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratch, writeTree } from "../../../test/support/files.ts";
import { parseEvents } from "../../cli/test/rig.ts";
import { runCodemod as run } from "./command.ts";

const program =
  'import lighthouse from "@lighthouse-web3/sdk";\nconsole.log((await lighthouse.getBalance(key)).data);\n';
const migrated = 'import { getBalance } from "keeplight";\nconsole.log((await getBalance({ apiKey: key })));\n';

/** Creates a folder with files, all of them committed. */
async function createRepository(files: Record<string, string>): Promise<string> {
  const folder = await writeTree(await scratch(), files);
  const author = ["-c", "user.name=a", "-c", "user.email=a@b"];
  for (const args of [
    ["init", "-q"],
    ["add", "-A"],
    [...author, "commit", "-qm", "first"],
  ]) {
    const { status, stderr } = spawnSync("git", args, { cwd: folder, encoding: "utf8" });
    expect(status, stderr).toBe(0);
  }
  return folder;
}

test("rewrites the programs below a folder, and nothing that is installed, built or hidden", async () => {
  const others = { "dist/a.js": program, "build/a.js": program, ".hidden/a.js": program, "notes.md": program };
  const folder = await createRepository({
    ".gitignore": "node_modules\n",
    "src/a.mjs": program,
    "src/b.js": "// nothing to do\n",
    ...others,
  });
  await writeTree(folder, { "node_modules/p/index.js": program });
  await chmod(join(folder, "src/a.mjs"), 0o755);
  spawnSync("git", ["config", "core.fileMode", "false"], { cwd: folder });
  const { code, stdout } = await run(folder, "--json");
  expect(code).toBe(0);
  const events = parseEvents(stdout);
  expect(events).toEqual([
    { version: 1, command: "codemod", event: "item", file: "src/a.mjs", changed: true, migrated: 1, left: [] },
    {
      version: 1,
      command: "codemod",
      event: "result",
      files: 2,
      changed: 1,
      migrated: 1,
      left: 0,
      install: "npm install keeplight && npm uninstall @lighthouse-web3/sdk",
    },
  ]);
  expect(await readFile(join(folder, "src/a.mjs"), "utf8")).toBe(migrated);
  expect((await stat(join(folder, "src/a.mjs"))).mode & 0o777).toBe(0o755);
  expect(await readdir(join(folder, "src"))).toEqual(["a.mjs", "b.js"]);
  for (const path of [...Object.keys(others), "node_modules/p/index.js"]) {
    expect(await readFile(join(folder, path), "utf8"), path).toBe(program);
  }
});

test("--dry-run prints a patch that git applies, and changes nothing, wherever it is", async () => {
  const folder = await writeTree(await scratch(), { "a.mjs": program });
  const { code, stdout } = await run(folder, "--dry-run", "--json");
  const events = parseEvents(stdout);
  expect(code).toBe(0);
  expect(await readFile(join(folder, "a.mjs"), "utf8")).toBe(program);
  const { stderr } = spawnSync("git", ["apply", "-"], {
    cwd: folder,
    input: `${events[0]?.["diff"]}\n`,
    encoding: "utf8",
  });
  expect(await readFile(join(folder, "a.mjs"), "utf8"), stderr).toBe(migrated);
});

test("changes nothing that git could not undo, unless it is forced to", async () => {
  const folder = await createRepository({ "a.mjs": program, ".gitignore": "ignored.mjs\n" });
  await writeFile(join(folder, "new.txt"), "not committed");
  const refusals = [
    [folder, [], "WORK_TREE_DIRTY"],
    [await writeTree(await scratch(), { "a.mjs": program }), [], "NO_WORK_TREE"],
    [await writeTree(await createRepository({ ".gitignore": "a.mjs\n" }), { "a.mjs": program }), [], "NOT_TRACKED"],
  ] as const;
  for (const [cwd, args, code] of refusals) {
    const ended = await run(cwd, "--json", ...args);
    expect(ended.code).toBe(1);
    expect(parseEvents(ended.stdout)).toMatchObject([{ event: "error", code }]);
    expect(await readFile(join(cwd, "a.mjs"), "utf8")).toBe(program);
    expect((await run(cwd, "--force")).code).toBe(0);
    expect(await readFile(join(cwd, "a.mjs"), "utf8")).toBe(migrated);
    // Nothing is left to change.
    expect((await run(cwd)).code).toBe(0);
  }
});

test("lists what is left with its place; a file that cannot be parsed does not stop the others", async () => {
  const folder = await createRepository({
    "a.mjs": program,
    "broken.mjs": `${program}const = 1;\n`,
    "left.mjs": `${program}export const balance = lighthouse.getBalance(key);\n`,
  });
  const { code, stdout, stderr } = await run(folder);
  expect(code).toBe(2);
  expect(stdout).toContain("broken.mjs:3:7  file: it cannot be parsed");
  expect(stdout).toContain("left.mjs:3:24  lighthouse.getBalance: its promise is passed on");
  expect(stdout).toContain("Calls rewritten: 2, in files: 2; left to do by hand: 2");
  expect(stderr).toContain("npm install keeplight @keeplight/lighthouse-sdk\n");
  expect(await readFile(join(folder, "a.mjs"), "utf8")).toBe(migrated);
  expect(await readFile(join(folder, "broken.mjs"), "utf8")).toContain("@lighthouse-web3/sdk");
});

test("a program that configures the package keeps its calls, in every file", async () => {
  const folder = await createRepository({
    "a.mjs": program,
    "setup.mjs":
      'import { lighthouseConfig } from "@lighthouse-web3/sdk/dist/lighthouse.config";\nlighthouseConfig.lighthouseAPI = url;\n',
  });
  // Another time, it is the drop-in that is configured.
  for (const args of [[], ["--force"]]) {
    const { code, stdout } = await run(folder, ...args);
    expect(code).toBe(2);
    expect(stdout).toContain("setup.mjs:1 sets where requests are sent");
    expect(await readFile(join(folder, "a.mjs"), "utf8")).toBe(
      program.replace("@lighthouse-web3/sdk", "@keeplight/lighthouse-sdk"),
    );
  }
  expect(await readFile(join(folder, "setup.mjs"), "utf8")).toContain('from "@keeplight/lighthouse-sdk/config"');
});

test("mistakes: no such path, and a file that is no program", async () => {
  const folder = await writeTree(await scratch(), { "notes.md": program });
  for (const path of ["missing", "notes.md"]) {
    const { code, stdout } = await run(folder, path, "--json");
    expect(code).toBe(1);
    expect(parseEvents(stdout)).toMatchObject([{ event: "error", code: "USAGE" }]);
  }
});

test("what --dry-run prints can be given to git, whatever the lines are made of", async () => {
  const lines = program.replace("console", "\tconsole");
  const files = {
    "tabs.mjs": lines,
    "carriage-returns.mjs": lines.replaceAll("\n", "\r\n"),
    "marked.mjs": `\ufeff${lines}`,
    "controls.mjs": `${lines}const bell = "\u0007\u001b";\n`,
  };
  const folder = await createRepository(files);
  const { code, stdout } = await run(folder, "--dry-run");
  expect(code).toBe(0);
  const { status, stderr } = spawnSync("git", ["apply", "-"], { cwd: folder, input: stdout, encoding: "utf8" });
  expect(status, stderr).toBe(0);
  for (const [name, text] of Object.entries(files)) {
    const after = text.replace(/import .*?;/, 'import { getBalance } from "keeplight";');
    const call = after.replace("lighthouse.getBalance(key)).data", "getBalance({ apiKey: key }))");
    expect(await readFile(join(folder, name), "utf8"), name).toBe(call);
  }
});

test("reads neither what is no file nor what is too large, and goes on with the others", async () => {
  const folder = await createRepository({ "a.mjs": program });
  expect(spawnSync("mkfifo", [join(folder, "pipe.js")]).status).toBe(0);
  expect((await run(folder, "pipe.js")).stderr).toContain("pipe.js is not a program");
  await writeFile(join(folder, "large.js"), "");
  await truncate(join(folder, "large.js"), 3 * 2 ** 30);
  const { code, stdout } = await run(folder, "--dry-run");
  expect(code).toBe(2);
  expect(stdout).toContain("large.js:1:1  file: it is too large for a program");
  expect(stdout).toContain("Calls would be rewritten: 1");
});

test("help and mistakes of the command line", async () => {
  const folder = await scratch();
  const { code, stdout } = await run(folder, "--help");
  expect(code).toBe(0);
  for (const option of ["--dry-run", "--force", "--json", "--quiet"]) expect(stdout).toContain(option);
  expect((await run(folder, "--dry")).stderr).toContain("unknown option '--dry'");
  expect((await run(folder, "", "--json")).stdout).toContain("The argument path is empty");
});

test("--quiet prints the names of changed files only", async () => {
  const folder = await createRepository({ "a.mjs": program, "left.mjs": `${program}save(lighthouse);\n` });
  const { code, stdout, stderr } = await run(folder, "--quiet");
  expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: "a.mjs\nleft.mjs\n", stderr: "" });
});
