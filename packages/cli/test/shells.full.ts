import { execFile, spawn } from "node:child_process";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { ensureShells } from "../../../test/support/external-tools.mjs";
import { writeTree } from "../../../test/support/files.ts";
import { getBuiltCli } from "./built.ts";
import { finish, type Person, rigForTests, runInTerminal } from "./rig.ts";

/** Ctrl-U. */
const CLEAR_LINE = "\u0015";

const rig = rigForTests();
let person: Person;
let env: Record<string, string>;

beforeAll(async () => {
  ensureShells();
  person = await rig().createPerson();
  const bin = join(person.home, "bin");
  await mkdir(bin);
  await writeFile(join(bin, "keeplight"), `#!/bin/sh\nexec "${process.execPath}" "${getBuiltCli()}" "$@"\n`);
  await chmod(join(bin, "keeplight"), 0o755);
  env = { ...person.env, PATH: `${bin}:${person.env["PATH"]}` };
  await writeTree(person.cwd, { "unusual-letter.txt": "x" });
  for (const shell of ["bash", "zsh", "fish", "powershell"]) {
    const { stdout } = await person.run(["completion", shell]);
    await writeFile(join(person.cwd, `completion.${shell}`), stdout);
  }
});

/** Types into a shell in a terminal; each step waits for what the shell shows after it. */
async function type(argv: readonly string[], setup: string, typed: readonly { send: string; shown: string }[]) {
  const ready = "ready> ";
  const all = [
    { send: `${setup}; PS1='rea''dy> '\r`, shown: ready },
    ...typed,
    { send: `${CLEAR_LINE}exit\r`, shown: "" },
  ];
  // Each text is typed once the one before it has had its effect.
  const steps = all.map(({ send }, at) => ({ wait: all[at - 1]?.shown ?? "start> ", send }));
  return runInTerminal({ argv, env: { ...env, PS1: "start> " }, cwd: person.cwd, columns: 120, steps });
}

const typed = [
  { send: "keeplight decr\t", shown: "keeplight decrypt" },
  { send: "bafy --str\t", shown: "--strict" },
  { send: "--output unus\t", shown: "unusual-letter.txt" },
];

test("bash completes commands, options and files, and evaluates nothing that was typed", async () => {
  const steps = [
    ...typed,
    { send: `${CLEAR_LINE}keeplight up $(touch evaluated) unus\t`, shown: "unusual-letter.txt" },
  ];
  const { left, output } = await type(["bash", "--norc", "--noprofile", "-i"], "source completion.bash", steps);
  expect(left, output).toBe(0);
  const { stdout } = await promisify(execFile)("ls", { cwd: person.cwd });
  expect(stdout).not.toContain("evaluated");
});

test("zsh completes commands, options and files", async () => {
  const setup = "autoload -U compinit; compinit -u -D; source ./completion.zsh";
  const { left, output } = await type(["zsh", "-f", "-i"], setup, typed);
  expect(left, output).toBe(0);
});

test("fish completes commands, options and files", async () => {
  const complete = async (line: string) => {
    const script = `source completion.fish; complete -C ${JSON.stringify(line)}`;
    const { stdout } = await finish(spawn("fish", ["--no-config", "-c", script], { env, cwd: person.cwd }));
    return stdout.split("\n").map((each) => each.split("\t")[0]);
  };
  expect(await complete("keeplight decr")).toContain("decrypt");
  expect(await complete("keeplight decrypt bafy --str")).toContain("--strict");
  expect(await complete("keeplight up unus")).toContain("unusual-letter.txt");
  expect(await complete("keeplight names ")).toEqual(expect.arrayContaining(["list", "create", "publish", "remove"]));
});
