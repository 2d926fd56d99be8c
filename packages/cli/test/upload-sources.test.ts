import { spawn, spawnSync } from "node:child_process";
import { chmod, cp, symlink } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { openJournal } from "../../../src/index.ts";
import { writeTree } from "../../../test/support/files.ts";
import { getBuiltCli } from "./built.ts";
import { type CliEvent, finish, type Person, parseEvents, rigForTests } from "./rig.ts";

// Which files of the paths that were typed are uploaded, and under which names.

const rig = rigForTests();

let person: Person;
beforeAll(async () => {
  person = await rig().createPerson();
});

const namesOf = (events: readonly CliEvent[]) =>
  events.filter(({ event }) => event === "item").map(({ name }) => String(name));
const warningsOf = (events: readonly CliEvent[]) =>
  events.filter(({ event }) => event === "warning").map(({ message }) => message);

/** Lists the names of what would be uploaded. */
const list = async (...args: string[]) => namesOf(await person.events(["up", "--dry-run", ...args]));

test("folders with keys are never uploaded: a journal, a plan, the state of the command line", async () => {
  const state = join(person.home, ".local/state/keeplight");
  await writeTree(person.cwd, { "secret.txt": "s" });
  await person.events(["up", "-e", "secret.txt"]);
  const password = { KEEPLIGHT_PASSWORD: "correct horse", KEEPLIGHT_API_KEY: "" };
  await person.run(["login", "--no-keyring"], { env: password });
  await writeTree(person.home, { "notes.txt": "n", "data/a.txt": "a", "data/plan/ledger/x": "x" });
  await openJournal({ folder: join(person.home, "data/plan/ledger-journal") }).then((journal) => journal.list());
  await cp(join(state, "journal"), join(person.home, "data/plan/ledger-journal"), { recursive: true });
  await symlink(state, join(person.home, "link"));

  const home = await person.events(["up", person.home]);
  expect(namesOf(home)).toEqual(["home"]);
  const [cid] = home.filter(({ event }) => event === "item").map((item) => String(item["cid"]));
  const { stdout } = await person.run(["get", "-r", String(cid), "-o", "seen"]);
  expect(stdout).toContain("3 of 3 files");
  expect(warningsOf(home)).toEqual(
    [".local/state/keeplight", "data/plan/ledger-journal", "link"].map(
      (path) => `${path} is left out: keys may be in it`,
    ),
  );
  expect((await person.run(["up", "--dry-run", person.home])).stderr).toContain("link is left out: keys may be in it");
  expect(await list("--exclude", ".local/", "--exclude", "link", "-e", person.home)).toEqual([
    "home/data/a.txt",
    "home/data/plan/ledger/x",
    "home/notes.txt",
  ]);

  for (const path of [state, join(state, "journal"), join(state, "journal/journal.key"), join(state, "login.json")]) {
    for (const args of [[], ["-e"], ["--exclude", "*.json"]]) {
      const events = await person.events(["up", ...args, path], { code: 1 });
      expect(events).toMatchObject([{ code: "SECRET_FILES", message: expect.stringContaining(path) }]);
    }
  }
  await writeTree(person.cwd, { "own/journal.json": "{}", "own/plan.json": "{}", "own/login.json": "{}" });
  expect(await list("own")).toHaveLength(3);
  await cp(join(state, "journal"), join(person.cwd, "only/journal"), { recursive: true });
  const nothing = await person.events(["up", "only"], { code: 1 });
  expect(nothing.at(-1)).toMatchObject({ code: "NOTHING_LEFT" });
});

test("keystores are never uploaded, wherever they lie", async () => {
  const { cwd } = person;
  const keystore = JSON.stringify({ version: 3, address: "00".repeat(20), crypto: {} });
  const geth = `UTC--2026-11-30T10-00-00.000000000Z--${"00".repeat(20)}`;
  await writeTree(cwd, {
    "keys/mine.json": keystore,
    "all/a.txt": "a",
    "all/keys/b.txt": "b",
    [`all/geth/${geth}`]: keystore,
  });
  const env = { KEEPLIGHT_KEYSTORE: join(cwd, "keys/mine.json") };
  await symlink("keys", join(cwd, "linked"));
  for (const path of ["keys", "keys/mine.json", "linked", "linked/mine.json", "all/geth", `all/geth/${geth}`]) {
    const events = await person.events(["up", path], { code: 1, env });
    expect(events).toMatchObject([{ code: "SECRET_FILES", message: expect.stringContaining(path) }]);
  }
  expect(namesOf(await person.events(["up", "--dry-run", "all"], { env }))).toEqual(["all/a.txt", "all/keys/b.txt"]);
  const own = { KEEPLIGHT_KEYSTORE: join(cwd, "all/keys/b.txt") };
  expect(namesOf(await person.events(["up", "--dry-run", "all"], { env: own }))).toEqual(["all/a.txt"]);
});

/** Runs a command as a user whom the modes of files hold back, unlike root. */
async function runUnprivileged({ cwd, env }: Person, args: readonly string[]) {
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const child = spawn(process.execPath, [getBuiltCli(), ...args, "--json"], { cwd, env, ...user });
  const { code, stdout } = await finish(child);
  return { code, events: parseEvents(stdout) };
}

test("an unreadable folder ends the command, unless no file of it would be uploaded", async () => {
  // Other users can read what this person has.
  const person = await rig().createPerson();
  await writeTree(person.cwd, { "files/a.txt": "a", "files/docs/b.txt": "b", "files/docs/sub/c.txt": "c" });
  const docs = join(person.cwd, "files/docs");
  await chmod(join(person.cwd, "../.."), 0o711);
  spawnSync("chmod", ["-R", "a+rwX", join(person.cwd, "..")]);
  onTestFinished(() => chmod(docs, 0o755));
  for (const mode of [0o000, 0o444]) {
    await chmod(docs, mode);
    for (const args of [[], ["--include", "*.txt"], ["--include", "c.txt"]]) {
      const { code, events } = await runUnprivileged(person, ["up", "--dry-run", ...args, "files"]);
      expect({ mode, args, code, events }).toMatchObject({ code: 1, events: [{ code: "SOURCE_UNREADABLE" }] });
    }
    for (const args of [
      ["--exclude", "docs/"],
      ["--exclude", "docs"],
      ["--include", "*.txt", "--exclude", "/docs"],
    ]) {
      const { code, events } = await runUnprivileged(person, ["up", "--dry-run", ...args, "files"]);
      expect({ mode, args, code, names: namesOf(events) }).toMatchObject({ code: 0, names: ["files/a.txt"] });
    }
  }
});

test("--name names the one file or folder that was typed, regardless of the filters", async () => {
  await writeTree(person.cwd, { "one/a.txt": "a", "one/b.txt": "b", "one/in/c.txt": "c", "two.txt": "2" });
  expect(await list("one", "--name", "foo")).toEqual(["foo/a.txt", "foo/b.txt", "foo/in/c.txt"]);
  const filtered = ["one", "--exclude", "b.txt", "--exclude", "in/", "--name", "foo"];
  expect(await list(...filtered)).toEqual(["foo/a.txt"]);
  expect(await list("two.txt", "--name", "foo")).toEqual(["foo"]);
  expect(namesOf(await person.events(["up", "one", "--name", "foo"])).at(-1)).toBe("foo");
  expect(namesOf(await person.events(["up", ...filtered]))).toEqual(["foo"]);
  expect(namesOf(await person.events(["up", "two.txt", "--name", "foo.txt"]))).toEqual(["foo.txt"]);
  expect(namesOf(await person.events(["up", "-e", ...filtered]))).toEqual(["foo/a.txt"]);
  const visible = await person.events(["up", "-e", "--visible-names", "one", "--name", "foo"]);
  expect(namesOf(visible)).toEqual(["foo", "a.txt", "b.txt", "in/c.txt"]);
  await writeTree(person.cwd, { "here/x": "x" });
  expect(await list(".", "--include", "here/x", "--name", "all")).toEqual(["all/here/x"]);

  for (const paths of [
    ["one", "two.txt"],
    ["-", "two.txt"],
  ]) {
    for (const more of [[], ["-e"]]) {
      const events = await person.events(["up", ...paths, ...more, "--name", "foo"], { code: 1 });
      expect(events).toMatchObject([{ code: "USAGE", message: expect.stringContaining("--name") }]);
    }
  }
});
