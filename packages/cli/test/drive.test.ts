import { once } from "node:events";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { kavachGetAccessConditions } from "../../../src/index.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { writeTree } from "../../../test/support/files.ts";
import { openDriveOf } from "./drive-of.ts";
import { type CliEvent, finish, type Person, parseEvents, rigForTests } from "./rig.ts";

// Encrypted files in the drive of the account, as the command line stores and lists them.

const rig = rigForTests();

const itemsOf = (events: readonly CliEvent[]) => events.filter(({ event }) => event === "item");

const list = async (person: Person, ...args: string[]) => itemsOf(await person.events(["ls", ...args]));

/** Paths of all files in the drive, as another device lists them. */
async function listPaths(person: Person): Promise<string[]> {
  const drive = await openDriveOf(person);
  const files = drive.listAll().filter(({ type }) => type === "file");
  await drive.close();
  return files.map(({ path }) => path).sort();
}

test("an encrypted folder is added to the drive: the network sees no name, ls and another device see all of them", async () => {
  const person = await rig().createPerson();
  await writeTree(person.cwd, { "letters/one.txt": "1", "letters/sub/two.txt": "22", "tax.pdf": "3" });
  const [one, two] = itemsOf(await person.events(["up", "-e", "letters"]));
  expect([one, two]).toMatchObject([
    { name: "letters/one.txt", encrypted: true },
    { name: "letters/sub/two.txt", encrypted: true },
  ]);
  const [tax] = itemsOf(await person.events(["up", "-e", "--to", "/papers/2026/", "tax.pdf"]));
  expect(tax).toMatchObject({ name: "papers/2026/tax.pdf", size: 45 });
  const expected = ["letters/one.txt", "letters/sub/two.txt", "papers/2026/tax.pdf"];
  expect(await listPaths(person)).toEqual(expected);
  const rows = await list(person);
  expect(rows.map(({ path }) => path).sort()).toEqual(expected);
  for (const { name } of rows) expect(name).toMatch(/^[0-9a-f]{32}$/);
  const all = await list(person, "--all");
  expect(all.length).toBeGreaterThan(rows.length);
  expect(all.map(({ name }) => name)).toContain("keeplight-drive-key");
  expect(JSON.stringify(all.map(({ path: _, ...row }) => row))).not.toMatch(/letter|tax|paper|one\.txt/);
  const table = await person.run(["ls"]);
  expect(table.stdout).toMatch(/papers\/2026\/tax\.pdf .*encrypted/);
  expect(table.stderr).toBe("");
  const { stdout } = await person.run(["decrypt", String(two?.["cid"]), "-o", "-"]);
  expect(stdout).toBe("22");
});

test("a file of the same name becomes a new version; both are listed by its path", async () => {
  const person = await rig().createPerson();
  await writeTree(person.cwd, { "a.txt": "first" });
  await person.events(["up", "-e", "a.txt"]);
  await writeTree(person.cwd, { "a.txt": "second" });
  const { stderr } = await person.run(["up", "-e", "a.txt"]);
  expect(stderr).toContain("a.txt is a new version; the one before is kept");
  expect(await listPaths(person)).toEqual(["a.txt"]);
  expect((await list(person)).map(({ path }) => path)).toEqual(["a.txt", "a.txt"]);
  const cids = (await list(person)).map(({ cid }) => String(cid));
  await person.events(["rm", "--yes", ...cids]);
  await writeTree(person.cwd, { "a.txt": "third" });
  expect((await person.run(["up", "-e", "a.txt"])).stderr).toContain("the account does not list the one before");
  // A listing that cannot be read says nothing about the version before.
  await writeTree(person.cwd, { "a.txt": "fourth" });
  const action = { kind: "respond", status: 400 } as const;
  const mend = rig().devnet.faults.add({ service: "api", path: "/api/user/files_uploaded", action });
  const unread = await person.run(["up", "-e", "a.txt"]);
  mend();
  expect(unread.code).toBe(0);
  expect(unread.stderr).toContain("The listing of the account cannot be read");
  expect(unread.stderr).not.toContain("the one before");
  // What signs is of another account, which has no drive.
  const { privateKey } = await rig().createPerson();
  const stranger = await person.run(["ls"], { env: { KEEPLIGHT_PRIVATE_KEY: privateKey } });
  expect(stranger).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("is another account, which has no drive"),
  });
});

test("Ctrl-C while the drive's list is stored ends as an interruption, once the files are named", async () => {
  const person = await rig().createPerson();
  await writeTree(person.cwd, { "a.txt": "a", "b.txt": "b" });
  await person.events(["up", "-e", "a.txt"]);
  const { devnet } = rig();
  const before = devnet.requests().length;
  const release = devnet.faults.add({ service: "upload", after: 1, action: { kind: "delay", ms: 600_000 } });
  const child = person.start(["up", "-e", "b.txt", "--json"]);
  const ended = finish(child);
  const countUploads = () =>
    devnet
      .requests()
      .slice(before)
      .filter(({ service }) => service === "upload").length;
  await eventually(() => expect(countUploads()).toBe(2));
  child.kill("SIGINT");
  const { code, stdout } = await ended;
  release();
  const events = parseEvents(stdout);
  expect({ code, items: itemsOf(events) }).toMatchObject({ code: 130, items: [{ name: "b.txt" }] });
  expect(events.at(-1)).toMatchObject({ event: "error", code: "ABORTED", exitCode: 130, resume: "keeplight resume" });
  await person.events(["resume"]);
  expect(await listPaths(person)).toEqual(["a.txt", "b.txt"]);
});

test("--visible-names stores files as before, and creates no drive", async () => {
  const person = await rig().createPerson();
  await writeTree(person.cwd, { "a.txt": "a" });
  const [item] = itemsOf(await person.events(["up", "-e", "--visible-names", "a.txt"]));
  expect(item).toMatchObject({ name: "a.txt", size: 45 });
  expect(await list(person, "--all")).toMatchObject([{ name: "a.txt", path: null, encrypted: true }]);
});

test("options that exclude each other, and folders that no drive has, are refused before anything is sent", async () => {
  const person = await rig().createPerson();
  await writeTree(person.cwd, { "a.txt": "a" });
  for (const [message, ...args] of [
    ["add -e", "--to", "x", "a.txt"],
    ["add -e", "--visible-names", "a.txt"],
    ["add -e", "--message", "m", "--share-to", "0x1111111111111111111111111111111111111111", "a.txt"],
    ["--share-to", "-e", "--message", "m", "a.txt"],
    ["--visible-names", "-e", "--visible-names", "--to", "x", "a.txt"],
    ["--wrap", "-e", "--wrap", "a.txt"],
    ["--to", "-e", "--to", "a/../b", "a.txt"],
    ["--to", "-e", "--to", "a//b", "a.txt"],
  ] as const) {
    for (const more of [[], ["--dry-run"]]) {
      const events = await person.events(["up", ...args, ...more], { code: 1 });
      expect(events).toMatchObject([{ event: "error", code: "USAGE", message: expect.stringContaining(message) }]);
    }
  }
  expect(await list(person, "--all")).toEqual([]);
});

test("a dry run creates no drive", async () => {
  const person = await rig().createPerson();
  await writeTree(person.cwd, { "a.txt": "a" });
  await person.events(["up", "-e", "--to", "x", "a.txt", "--dry-run"]);
  expect(await list(person, "--all")).toEqual([]);
});

test("standard input, --name, --share-to, --conditions, --recovery and --storage go on working", async () => {
  const person = await rig().createPerson();
  const friend = await rig().createPerson();
  const piped = await person.run(["up", "-e", "-", "--name", "site.tar", "--to", "in", "--json"], { input: "piped" });
  expect(piped.stdout).toContain('"name":"in/site.tar"');
  const condition = {
    id: 1,
    chain: "Ethereum",
    method: "getBlockNumber",
    standardContractType: "",
    returnValueTest: { comparator: ">=", value: "1" },
  };
  await writeTree(person.cwd, { "a.txt": "a", "rule.json": JSON.stringify([condition]), "kit/empty": "" });
  const share = ["--share-to", friend.address, "--storage", "annual", "--check-room", "--verify"];
  const [shared] = itemsOf(await person.events(["up", "-e", ...share, "a.txt"]));
  expect(shared).toMatchObject({ name: "a.txt", storage: "annual" });
  const opened = await friend.run(["decrypt", String(shared?.["cid"]), "-o", "-"]);
  expect(opened.stdout).toBe("a");
  const [open] = itemsOf(await person.events(["up", "-e", "--conditions", "rule.json", "--name", "b.txt", "a.txt"]));
  const { endpoints } = rig().devnet;
  expect((await kavachGetAccessConditions(String(open?.["cid"]), { endpoints })).conditions).toHaveLength(1);
  const made = await person.run(["kit", "--help"]);
  expect(made.code).toBe(0);
  const { createRecoveryIdentity } = await import("../../../src/index.ts");
  const { identity, recipient } = await createRecoveryIdentity();
  await person.events([
    "up",
    "-e",
    "--recovery",
    recipient,
    "--recovery-to",
    "kit",
    "--name",
    "c.txt",
    "--to",
    "x",
    "a.txt",
  ]);
  await rm(join(person.cwd, "kit/empty"));
  expect(await readdir(join(person.cwd, "kit"))).toHaveLength(1);
  const kit = await person.events(["kit", "open", "kit"], { env: { KEEPLIGHT_IDENTITY: identity } });
  expect(itemsOf(kit)).toMatchObject([{ name: "c.txt" }]);
  expect(await listPaths(person)).toEqual(["a.txt", "b.txt", "in/site.tar", "x/c.txt"]);
});

test("a message has the real names for whom files are shared with, and no other names", async () => {
  const person = await rig().createPerson();
  const friend = await rig().createPerson();
  await writeTree(person.cwd, {
    "letters/one.txt": "1",
    "letters/sub/two.txt": "2",
    "other.txt": "o",
    "taken.txt": "",
  });
  await person.events(["up", "-e", "--to", "private/letters", "other.txt"]);
  const args = ["up", "-e", "--to", "private", "letters", "--share-to", friend.address, "--message"];
  const { stderr } = await person.run([...args, "for-friend.txt"]);
  expect(stderr).toContain("The names are in for-friend.txt");
  const drive = await openDriveOf(friend);
  await drive.receive(await readFile(join(person.cwd, "for-friend.txt"), "utf8"));
  const received = drive.listReceived();
  await drive.close();
  expect(received.map(({ name }) => name).sort()).toEqual(["one.txt", "sub/two.txt"]);
  expect(received[0]?.from).toBe(person.address.toLowerCase());
  // What is there already is not replaced, and nothing is sent.
  const stored = await list(person, "--all");
  for (const [path, code] of [
    ["taken.txt", "FILE_EXISTS"],
    ["letters", "FILE_EXISTS"],
    ["none/for-friend.txt", "CANNOT_WRITE"],
    ["taken.txt/for-friend.txt", "CANNOT_WRITE"],
  ] as const) {
    for (const more of [[], ["--dry-run"]]) {
      const events = await person.events([...args, path, ...more], { code: 1 });
      expect(events).toMatchObject([{ event: "error", code }]);
    }
  }
  expect(await list(person, "--all")).toEqual(stored);
  expect(await readFile(join(person.cwd, "taken.txt"), "utf8")).toBe("");
});

test("a message that cannot be written after the upload is printed, and the command ends as incomplete", async () => {
  const person = await rig().createPerson();
  const friend = await rig().createPerson();
  await writeTree(person.cwd, { "one.txt": "1", "first.txt": "f" });
  await person.events(["up", "-e", "first.txt"]);
  const stop = rig().devnet.faults.add({ service: "upload", action: { kind: "delay", ms: 1_000 } });
  const child = person.start(["up", "-e", "one.txt", "--share-to", friend.address, "--message", "m.txt", "--json"]);
  const ended = finish(child);
  await once(child.stdout ?? child, "data");
  await writeFile(join(person.cwd, "m.txt"), "mine");
  const { code, stdout } = await ended.finally(stop);
  const events = parseEvents(stdout);
  expect({ code, last: events.at(-1) }).toMatchObject({ code: 2, last: { event: "result", count: 1 } });
  expect(await readFile(join(person.cwd, "m.txt"), "utf8")).toBe("mine");
  const warning = String(events.find(({ event }) => event === "warning")?.["message"]);
  expect(warning).toContain("the message cannot be written to m.txt");
  const drive = await openDriveOf(friend);
  await drive.receive(warning.split("\n").at(-1) ?? "");
  const received = drive.listReceived();
  await drive.close();
  expect(received.map(({ name }) => name)).toEqual(["one.txt"]);
});

test("ls asks nobody, signs nothing where there is no drive, and says that names are hidden", async () => {
  const person = await rig().createPerson();
  await writeTree(person.cwd, { "a.txt": "a", "plain.txt": "p" });
  await person.events(["up", "plain.txt"]);
  // Signing would be a failure.
  const failing = { KEEPLIGHT_PRIVATE_KEY: "", KEEPLIGHT_SIGNER_COMMAND: "echo asked >&2; exit 1" };
  const before = await person.run(["ls"], { env: failing });
  expect(before).toMatchObject({ code: 0, stderr: "" });
  expect(before.stdout).toContain("plain.txt");
  await person.events(["up", "-e", "a.txt"]);
  for (const env of [failing, { KEEPLIGHT_PRIVATE_KEY: "" }, { KEEPLIGHT_PRIVATE_KEY: "", KEEPLIGHT_PASSWORD: "p" }]) {
    const { code, stdout, stderr } = await person.run(["ls"], { env });
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/^Names in the drive are hidden: log in/),
    });
    expect(stdout).toMatch(/[0-9a-f]{32} /);
    expect(stdout).not.toContain("a.txt");
    const events = await person.events(["ls"], { env });
    expect(itemsOf(events).map(({ path }) => path)).toEqual([null, null]);
  }
});

test("a login shows names, without its password if this machine has opened the drive", async () => {
  const person = await rig().createPerson();
  await writeTree(person.cwd, { "a.txt": "a" });
  const env = { KEEPLIGHT_API_KEY: "", KEEPLIGHT_PRIVATE_KEY: "", KEEPLIGHT_PASSWORD: "correct horse" };
  const login = await person.run(["login", "--private-key-stdin", "--json"], { env, input: `${person.privateKey}\n` });
  expect(login, login.stdout).toMatchObject({ code: 0 });
  await person.events(["up", "-e", "a.txt"], { env });
  expect(itemsOf(await person.events(["ls"], { env })).map(({ path }) => path)).toEqual(["a.txt"]);
  // With the API key of the environment nothing requires the password of the login.
  const locked = { KEEPLIGHT_PRIVATE_KEY: "" };
  expect(itemsOf(await person.events(["ls"], { env: locked })).map(({ path }) => path)).toEqual(["a.txt"]);
  // The listing is of the login: the drive of another account has nothing to do with it, whatever this machine knows of that.
  const other = await rig().createPerson();
  const { privateKey: KEEPLIGHT_PRIVATE_KEY, apiKey: KEEPLIGHT_API_KEY } = other;
  await person.events(["up", "-e", "a.txt"], { env: { KEEPLIGHT_PRIVATE_KEY, KEEPLIGHT_API_KEY } });
  const mixed = await person.run(["ls"], { env: { ...env, KEEPLIGHT_PRIVATE_KEY } });
  expect(mixed).toMatchObject({ code: 0, stderr: expect.stringContaining("Names in the drive are hidden: log in") });
  await rm(join(person.home, ".local/state/keeplight/journal"), { recursive: true });
  const hidden = await person.run(["ls"], { env: locked });
  expect(hidden).toMatchObject({ code: 0, stderr: expect.stringContaining("Names in the drive are hidden: log in") });
});

test("rm refuses the files of the drive itself, and names others by their paths", async () => {
  const person = await rig().createPerson();
  await writeTree(person.cwd, { "a.txt": "a" });
  const [item] = itemsOf(await person.events(["up", "-e", "a.txt"]));
  const cid = String(item?.["cid"]);
  const before = await list(person, "--all");
  for (const own of before.filter(({ path }) => path === null)) {
    const [error] = await person.events(["rm", "--yes", cid, String(own["cid"])], { code: 1 });
    expect(error).toMatchObject({ code: "DRIVE_FILE" });
  }
  expect(await list(person, "--all")).toEqual(before);
  const { stdout } = await person.run(["rm", "--yes", cid]);
  expect(stdout).toBe(`Deleted a.txt  ${cid}\n`);
  expect(await list(person)).toEqual([]);
});

test("what could not be stored of the drive is warned of, and stored by the next command that opens it", async () => {
  const person = await rig().createPerson();
  await writeTree(person.cwd, { "a.txt": "a", "b.txt": "b" });
  await person.events(["up", "-e", "a.txt"]);
  const { faults } = rig().devnet;
  // The file is stored, the version of the drive is not.
  const release = faults.add({ service: "upload", after: 1, action: { kind: "respond", status: 500, text: "no" } });
  const events = await person.events(["up", "-e", "b.txt"]).finally(release);
  expect(events.filter(({ event }) => event === "warning")).toMatchObject([
    { message: expect.stringContaining("keeplight resume") },
  ]);
  expect(itemsOf(events)).toMatchObject([{ name: "b.txt" }]);
  expect(await listPaths(person)).toEqual(["a.txt"]);
  const { stderr } = await person.run(["resume", "--list"]);
  expect(stderr).toContain(`Names in the drive of ${person.address.toLowerCase()} are not stored yet`);
  // Another account stores nothing of it, and gets no drive in its place.
  const listAll = async () => itemsOf(await person.events(["ls", "--all"], { env: { KEEPLIGHT_PRIVATE_KEY: "" } }));
  const all = await listAll();
  const { privateKey, apiKey } = await rig().createPerson();
  const stranger = { KEEPLIGHT_PRIVATE_KEY: privateKey, KEEPLIGHT_API_KEY: apiKey };
  const { stderr: notStored } = await person.run(["resume"], { env: stranger });
  expect(notStored).toContain("resume as that account");
  expect(await listAll()).toEqual(all);
  expect(await listPaths(person)).toEqual(["a.txt"]);
  await person.events(["resume"]);
  expect(await listPaths(person)).toEqual(["a.txt", "b.txt"]);
  expect((await person.run(["resume"])).stdout).toBe("Nothing is open.\n");
});

test("a new version that is discarded before its keys are saved is in no file of the drive", async () => {
  const person = await rig().createPerson();
  await writeTree(person.cwd, { "a.txt": "first" });
  const [first] = itemsOf(await person.events(["up", "-e", "a.txt"]));
  const action = { kind: "respond", status: 500 } as const;
  const mend = rig().devnet.faults.add({ service: "keyNodes", method: "POST", path: "/api/setSharedKey", action });
  await writeTree(person.cwd, { "a.txt": "second" });
  await person.events(["up", "-e", "a.txt"], { code: 2 });
  mend();
  const [open] = itemsOf(await person.events(["resume", "--list"]));
  await person.events(["resume", "--discard", String(open?.["id"]), "--yes"]);
  await person.events(["resume"]);
  const drive = await openDriveOf(person);
  await drive.sync();
  expect(drive.list()).toMatchObject([{ name: "a.txt", cid: first?.["cid"] }]);
  await drive.close();
});
