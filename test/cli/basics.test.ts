import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeTree } from "../support/files.ts";
import { getBuiltCli } from "./built.ts";
import { finish, parseEvents, rigForTests } from "./rig.ts";

const rig = rigForTests();

const tracing = `data:text/javascript,${encodeURIComponent(`
  import { register } from "node:module";
  register("data:text/javascript," + encodeURIComponent(
    "export async function resolve(s, c, n) { const r = await n(s, c); process._rawDebug('loaded ' + r.url); return r; }"
  ));
`)}`;

test("help and completions load neither ethers nor the package", async () => {
  for (const args of [["--help"], ["help", "up"], ["complete", "--", "up", "--"]]) {
    const child = spawn(process.execPath, ["--import", tracing, getBuiltCli(), ...args]);
    const { code, stdout, stderr } = await finish(child);
    expect(code).toBe(0);
    expect(stdout).toContain("encrypt");
    const loaded = [...stderr.matchAll(/^loaded (.*)$/gm)].map(([, url = ""]) => url);
    expect(loaded.length).toBeGreaterThan(0);
    expect(loaded.filter((url) => !url.startsWith("node:") && !url.endsWith("/dist/cli/main.js"))).toEqual([]);
  }
});

test("an encrypted folder is uploaded and opens again; files with hostile names are files", async () => {
  const person = await rig().createPerson();
  const files = { "--help": "help me", "-rf": "all", "letters/one.txt": "first" };
  await writeTree(person.cwd, files);
  const sent = await person.events(["up", "-e", "--", "--help", "-rf", "letters"]);
  const items = sent.filter(({ event }) => event === "item");
  expect(items.map(({ name }) => name)).toEqual(["--help", "-rf", "one.txt"]);
  for (const [index, content] of Object.values(files).entries()) {
    const cid = String(items[index]?.["cid"]);
    const { stdout } = await person.run(["decrypt", cid, "-o", "-"]);
    expect(stdout).toBe(content);
  }
  // An existing file is not replaced, and `--name-from-network` yields no option of a command.
  const cid = String(items[0]?.["cid"]);
  await writeFile(join(person.cwd, "help"), "mine");
  const refused = await person.events(["decrypt", cid, "--name-from-network"], { code: 1 });
  expect(refused.at(-1)).toMatchObject({ event: "error", code: "FILE_EXISTS" });
  expect(await readFile(join(person.cwd, "help"), "utf8")).toBe("mine");
});

test("mistakes in the arguments end with exit code 1, and are events, too", async () => {
  const person = await rig().createPerson();
  const { code, stdout, stderr } = await person.run(["up", "--encript", "file", "--json"]);
  expect(code).toBe(1);
  expect(stderr).toContain("--encrypt");
  expect(parseEvents(stdout)).toMatchObject([{ event: "error", code: "USAGE", exitCode: 1 }]);
});

test("the reader of the output may end early, as head does", async () => {
  const person = await rig().createPerson();
  await writeTree(person.cwd, Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`many/${at}.txt`, `${at}`])));
  await person.events(["up", "many"]);
  const line = `set -o pipefail; "${process.execPath}" "${getBuiltCli()}" ls --json | head -1`;
  const { code, stdout, stderr } = await finish(spawn("bash", ["-c", line], { env: person.env, cwd: person.cwd }));
  expect(parseEvents(stdout)).toMatchObject([{ event: "item" }]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
});

test("nobody has to read the help, the completions or the manual", async () => {
  for (const args of [["--help"], ["help", "up"], ["complete", "--", "up", "--"], ["manual", "markdown"]]) {
    const child = spawn(process.execPath, [getBuiltCli(), ...args]);
    child.stdout.destroy();
    expect({ args, ...(await finish(child)) }).toEqual({ args, code: 0, stdout: "", stderr: "" });
  }
});
