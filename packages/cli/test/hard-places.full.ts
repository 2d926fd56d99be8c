import { spawn } from "node:child_process";
import { once } from "node:events";
import { access, readdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { eventually } from "../../../test/support/eventually.ts";
import { writeTree } from "../../../test/support/files.ts";
import { getBuiltCli } from "./built.ts";
import { finish, type Person, rigForTests } from "./rig.ts";

const rig = rigForTests();

/** Uploads a folder and interrupts the command once its body is on the way: the upload node is slow. */
async function interruptUpload(person: Person, signals: readonly NodeJS.Signals[]) {
  await writeTree(person.cwd, { "letters/one.txt": "first", "letters/two.txt": "second", "other.txt": "other" });
  // The first encrypted file creates the drive.
  await person.events(["up", "-e", "other.txt"]);
  const release = rig().devnet.faults.add({ service: "upload", action: { kind: "delay", ms: 600_000 } });
  onTestFinished(release);
  const child = person.start(["up", "-e", "letters", "--json"]);
  const ended = finish(child);
  await once(child.stdout ?? child, "data");
  for (const signal of signals) child.kill(signal);
  const { code, stdout } = await ended;
  release();
  return { code, last: JSON.parse(stdout.trim().split("\n").at(-1) ?? "{}") };
}

test("Ctrl-C during an encrypted upload names the command that continues it, and that completes it", async () => {
  const person = await rig().createPerson();
  const { code, last } = await interruptUpload(person, ["SIGINT"]);
  expect(code).toBe(130);
  expect(last).toMatchObject({
    event: "error",
    code: "ABORTED",
    exitCode: 130,
    resume: expect.stringMatching(/^keeplight resume [0-9a-f]{32}$/),
  });
  const args = String(last.resume).split(" ").slice(1);
  const events = await person.events(args);
  expect(events.at(-1)).toMatchObject({ completed: 1, open: 0 });
  const [cid] = (events.find(({ event }) => event === "item")?.["cids"] ?? []) as string[];
  expect((await person.run(["decrypt", cid ?? "", "-o", "-"])).stdout).toMatch(/first|second/);
});

test("files that were changed since are named, with the command that gives their upload up", async () => {
  const person = await rig().createPerson();
  await interruptUpload(person, ["SIGINT"]);
  await writeTree(person.cwd, { "letters/one.txt": "changed, and longer" });
  const { code, stderr } = await person.run(["resume"]);
  expect(code).toBe(2);
  expect(stderr).toContain("letters/one.txt");
  expect(stderr).toMatch(/keeplight resume \S+ --discard/);
});

test("Ctrl-C while the drive is created ends the command, and the same one creates it", async () => {
  const person = await rig().createPerson();
  await writeTree(person.cwd, { "a.txt": "a" });
  const before = rig().devnet.requests().length;
  const release = rig().devnet.faults.add({ service: "upload", action: { kind: "delay", ms: 600_000 } });
  onTestFinished(release);
  const child = person.start(["up", "-e", "a.txt", "--json"]);
  const ended = finish(child);
  const wasSent = () =>
    rig()
      .devnet.requests()
      .slice(before)
      .some(({ service }) => service === "upload");
  await eventually(async () => expect(wasSent()).toBe(true));
  child.kill("SIGINT");
  const { code, stdout } = await ended;
  release();
  expect({ code, stdout }).toEqual({
    code: 130,
    stdout: expect.stringMatching(/"event":"error","code":"ABORTED".*\n$/),
  });
  expect((await person.events(["up", "-e", "a.txt"])).at(-1)).toMatchObject({ count: 1 });
  expect((await person.run(["ls"])).stdout).toMatch(/^a\.txt /m);
});

test("a second Ctrl-C ends the process at once, and loses nothing", async () => {
  const person = await rig().createPerson();
  const { code } = await interruptUpload(person, ["SIGINT", "SIGINT"]);
  expect(code).toBe(130);
  expect((await person.events(["resume"])).at(-1)).toMatchObject({ completed: 1, open: 0 });
});

test("Ctrl-C during a download leaves no file", async () => {
  const person = await rig().createPerson();
  await writeTree(person.cwd, { "photo.jpg": "a photo" });
  const sent = await person.events(["up", "photo.jpg"]);
  const cid = String(sent.find(({ event }) => event === "item")?.["cid"]);
  const requests: string[] = [];
  const slow = createServer((request) => void requests.push(request.url ?? "")).listen(0, "127.0.0.1");
  onTestFinished(() => void slow.closeAllConnections());
  onTestFinished(() => void slow.close());
  await once(slow, "listening");
  const env = { KEEPLIGHT_GATEWAY_URL: `http://127.0.0.1:${(slow.address() as AddressInfo).port}` };
  const child = person.start(["get", cid, "-o", "again.jpg"], { env });
  const ended = finish(child);
  await eventually(() => expect(requests.length).toBeGreaterThan(0));
  child.kill("SIGINT");
  expect((await ended).code).toBe(130);
  await expect(access(join(person.cwd, "again.jpg"))).rejects.toThrow("ENOENT");
});

test("a full disk is an error, not a silent loss", async () => {
  const person = await rig().createPerson();
  const line = `"${process.execPath}" "${getBuiltCli()}" --help > /dev/full || "${process.execPath}" "${getBuiltCli()}" whoami > /dev/full`;
  const { code } = await finish(spawn("bash", ["-c", line], { env: person.env, cwd: person.cwd }));
  expect(code).toBe(1);
});

/** Runs a command that can write no more than `kib` KiB to any file, as on a full disk. */
function runOnFullDisk(person: Person, kib: number, args: readonly string[]) {
  const line = `trap '' XFSZ; ulimit -f ${kib}; exec "$@"`;
  const command = ["-c", line, "bash", process.execPath, getBuiltCli(), ...args, "--json"];
  return finish(spawn("bash", command, { env: person.env, cwd: person.cwd }));
}

const lastEvent = (stdout: string) => JSON.parse(stdout.trim().split("\n").at(-1) ?? "{}");

test("a download that does not fit the disk leaves no file", async () => {
  const person = await rig().createPerson();
  await writeTree(person.cwd, { "photo.jpg": "a photo".repeat(100_000), "downloads/notes.txt": "others" });
  const sent = await person.events(["up", "-e", "photo.jpg"]);
  const cid = String(sent.find(({ event }) => event === "item")?.["cid"]);
  const before = await readdir(join(person.cwd, "downloads"));
  for (const command of ["get", "decrypt"]) {
    const { code, stdout } = await runOnFullDisk(person, 256, [command, cid, "-o", "downloads/photo.jpg"]);
    expect({ code, last: lastEvent(stdout) }).toMatchObject({
      code: 1,
      last: { event: "error", code: "CANNOT_WRITE" },
    });
    expect(await readdir(join(person.cwd, "downloads"))).toEqual(before);
  }
});

test("an encrypted upload that cannot be recorded sends nothing", async () => {
  const person = await rig().createPerson();
  await writeTree(person.cwd, { "letter.txt": "private" });
  const { code, stdout } = await runOnFullDisk(person, 0, ["up", "-e", "letter.txt"]);
  expect({ code, last: lastEvent(stdout) }).toMatchObject({ code: 1, last: { event: "error" } });
  expect((await person.run(["ls", "-q"])).stdout).toBe("");
  expect((await person.events(["resume", "--list"])).at(-1)).toMatchObject({ open: 0 });
});

test("without a home folder it says which variable to set", async () => {
  const person = await rig().createPerson();
  const env = { HOME: "not/absolute", XDG_STATE_HOME: "relative", KEEPLIGHT_API_KEY: "" };
  const { code, stderr } = await person.run(["ls"], { env });
  expect(code).toBe(1);
  expect(stderr).toMatch(/There is no home folder: set HOME or XDG_STATE_HOME/);
});

test("without a terminal nothing is asked, and it says what to set", async () => {
  const person = await rig().createPerson();
  await writeTree(person.cwd, { "photo.jpg": "a photo" });
  const sent = await person.events(["up", "photo.jpg"]);
  const cid = String(sent.find(({ event }) => event === "item")?.["cid"]);
  const refused = await person.run(["rm", cid]);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("Set --yes") });
  const env = { KEEPLIGHT_PRIVATE_KEY: "", KEEPLIGHT_API_KEY: "" };
  expect(await person.run(["login"], { env })).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/Set KEEPLIGHT_/),
  });
  expect(await person.run(["ls"], { env })).toMatchObject({ code: 1, stderr: expect.stringContaining("NO_API_KEY") });
  expect(await person.run(["share", cid, person.address], { env })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("NO_SIGNER"),
  });
});

test("10,000 files of a folder are uploaded and listed", async () => {
  const person = await rig().createPerson();
  const names = Array.from({ length: 10_000 }, (_, at) => `many/${at}.txt`);
  await writeTree(person.cwd, Object.fromEntries(names.map((name) => [name, name])));
  expect((await person.events(["up", "many"])).at(-1)).toMatchObject({ event: "result" });
  const listed = await person.run(["ls", "-q"]);
  expect(listed.stdout.trim().split("\n").length).toBeGreaterThan(0);
});

test("names with escape sequences reach no terminal, and no line of JSON", async () => {
  const person = await rig().createPerson();
  const hostile = "\u001b]0;owned\u0007\u009b31mred\u202etxt";
  const row = { id: hostile, cid: hostile, fileName: hostile, fileSizeInBytes: "7", encryption: false, createdAt: 1 };
  const json = { fileList: [row], totalFiles: 1 };
  onTestFinished(
    rig().devnet.faults.add({ service: "api", path: "/api/user/files_uploaded", action: { kind: "respond", json } }),
  );
  const { output } = await person.terminal(["ls"]);
  expect(output).toContain("red");
  expect(output).not.toContain("\u001b]0;owned");
  expect(output).not.toContain("\u009b");
  const { stdout } = await person.run(["ls", "--json"]);
  for (const character of ["\u001b", "\u009b", "\u202e"]) expect(stdout).not.toContain(character);
  expect(JSON.parse(stdout.split("\n")[0] ?? "").name).toContain("red");
});

test("two commands share one journal", async () => {
  const person = await rig().createPerson();
  await writeTree(person.cwd, { "a/one.txt": "first", "b/two.txt": "second" });
  const ends = await Promise.all(["a", "b"].map((folder) => person.run(["up", "-e", folder, "-q"])));
  expect(ends.map(({ code, stderr }) => ({ code, stderr }))).toEqual(Array(2).fill({ code: 0, stderr: "" }));
  expect((await person.events(["resume", "--list"])).at(-1)).toMatchObject({ open: 0 });
});

test("somebody else's key does not open a file, and leaves nothing", async () => {
  const [owner, stranger] = [await rig().createPerson(), await rig().createPerson()];
  await writeTree(owner.cwd, { "letter.txt": "private" });
  const sent = await owner.events(["up", "-e", "letter.txt"]);
  const cid = String(sent.find(({ event }) => event === "item")?.["cid"]);
  const events = await stranger.events(["decrypt", cid, "-o", "letter.txt"], { code: 1 });
  expect(events.at(-1)).toMatchObject({ event: "error", exitCode: 1 });
  await expect(access(join(stranger.cwd, "letter.txt"))).rejects.toThrow("ENOENT");
  const wrong = await owner.run(["decrypt", cid], { env: { KEEPLIGHT_PRIVATE_KEY: "0x1234" } });
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining("is not a private key") });
  expect(wrong.stderr).not.toContain("0x1234");
});

test("without a network a command fails, and an interrupted upload is still there", async () => {
  const person = await rig().createPerson();
  await writeTree(person.cwd, { "letter.txt": "private" });
  const config = join(person.cwd, "offline.json");
  const url = "http://127.0.0.1:9";
  await writeFile(
    config,
    JSON.stringify({ endpoints: { api: url, upload: url, gateway: url, keyNodes: url }, pauseMs: 0 }),
  );
  const env = { KEEPLIGHT_CONFIG: config };
  expect((await person.events(["ls"], { code: 1, env })).at(-1)).toMatchObject({ code: "NETWORK" });
  expect((await person.events(["up", "-e", "letter.txt"], { code: 1, env })).at(-1)).toMatchObject({ event: "error" });
  expect((await person.events(["resume", "--list"], { env })).at(-1)).toMatchObject({ open: 0 });
});
