import { once } from "node:events";
import { mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { samples } from "../../../test/access-conditions/samples.ts";
import { startPostgres } from "../../../test/support/databases.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { writeTree } from "../../../test/support/files.ts";
import { groups } from "../src/table/index.ts";
import { type CliEvent, finish, type Person, parseEvents, rigForTests } from "./rig.ts";
import { findUndocumented } from "./schema.ts";

// Every command with --json, whose events are compared with the documentation, and for people, in a pseudo-terminal.

const rig = rigForTests({ chain: true });
const friend = "0x1111111111111111111111111111111111111111";
const heir = "0x2222222222222222222222222222222222222222";
const ran = new Set<string>();

/** What the tests read of items and results. */
interface Data extends Record<string, unknown> {
  cid: string;
  name: string;
  ipns: string;
  hash: string;
  access: { sharedTo: string[] };
  nodes: { done: string }[];
}

let person: Person;

beforeAll(async () => {
  person = await rig().createPerson();
  await writeTree(person.cwd, {
    "photo.jpg": "a photo",
    "letters/one.txt": "the first letter",
    "letters/more/two.txt": "the second letter",
    "rule.json": JSON.stringify([samples.native]),
  });
});

/** Runs a command with `--json`; its events are as documented. Returns its items and its result. */
const json = (command: string, ...args: string[]) => jsonWithCode(0, command, ...args);

/** Does the same for a command that ends with another exit code. */
async function jsonWithCode(code: number, command: string, ...args: string[]) {
  const events = await person.events([...command.split(" "), ...args], { code });
  expect(findUndocumented(command, events)).toEqual([]);
  ran.add(command);
  const data = ({ version: _, command: __, event: ___, ...rest }: CliEvent) => rest as unknown as Data;
  return {
    items: events.filter(({ event }) => event === "item").map(data),
    result: data(events.at(-1) as CliEvent),
  };
}

const getCid = ([item]: Data[]): string => item?.cid ?? "";

/** Runs a command in a terminal, where it succeeds; returns what is to be seen, without colours and cursor movements. */
async function seen(command: string, args: readonly string[] = [], steps: { wait: string; send: string }[] = []) {
  const { output, code, left } = await person.terminal([...command.split(" "), ...args], { steps });
  expect({ code, left }, output).toEqual({ code: 0, left: 0 });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences start with one
  return output.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, "").replaceAll("\r\n", "\n");
}

test("login, whoami and logout", async () => {
  const env = { KEEPLIGHT_API_KEY: "", KEEPLIGHT_PRIVATE_KEY: "" };
  const other = await rig().createPerson();
  const run = async (args: string[], more: { env?: Record<string, string>; input?: string } = {}) => {
    const events = await other.events(args, { input: more.input ?? "", env: { ...env, ...more.env } });
    const command = args.slice(0, args[0] === "profile" ? 2 : 1).join(" ");
    expect(findUndocumented(command, events)).toEqual([]);
    ran.add(command);
    return events.at(-1);
  };
  const password = { KEEPLIGHT_PASSWORD: "correct horse" };
  expect(await run(["login", "--private-key-stdin"], { env: password, input: `${other.privateKey}\n` })).toMatchObject({
    address: other.address,
    store: "sealed",
  });
  expect(await run(["whoami"])).toMatchObject({ address: other.address, signer: "login", apiKey: "login" });
  expect(await run(["profile", "list"])).toMatchObject({ count: 1 });
  expect(await run(["profile", "use", "default"])).toMatchObject({ name: "default" });
  const steps = [{ wait: "Password", send: "correct horse\r" }];
  const { output, code } = await other.terminal(["balance"], { env, steps });
  expect(code, output).toBe(0);
  expect(output).toContain("100 GiB");
  const wrong = await other.terminal(["balance"], { env, steps: [{ wait: "Password", send: "wrong\r" }] });
  expect(wrong.output).toContain("WRONG_PASSWORD");
  expect(wrong.code).toBe(1);
  // An API key expires: the login's own private key gets the next one.
  expect(await run(["login"], { env: password })).toMatchObject({ address: other.address, store: "sealed" });
  expect(await run(["whoami"], { env: password })).toMatchObject({ address: other.address, signer: "login" });
  const stranger = { ...password, KEEPLIGHT_PRIVATE_KEY: person.privateKey };
  expect((await other.run(["login"], { env: { ...env, ...stranger } })).stderr).toContain("LOGGED_IN");
  await writeFile(join(other.cwd, "letter.txt"), "still mine");
  const sent = await other.events(["up", "-e", "letter.txt"], { env: { ...env, ...password } });
  const letter = String(sent.find(({ event }) => event === "item")?.["cid"]);
  expect(await run(["decrypt", letter, "-o", "read.txt"], { env: password })).toMatchObject({ size: 10 });
  expect(await run(["logout", "--yes"])).toMatchObject({ address: other.address, keyForgotten: true });
  expect(await run(["whoami"])).toMatchObject({ address: null, signer: null, apiKey: null });
  expect(await seen("whoami")).toContain(person.address);
});

test("login --new creates an account whose keystore its password opens", async () => {
  const other = await rig().createPerson();
  const env = { KEEPLIGHT_API_KEY: "", KEEPLIGHT_PRIVATE_KEY: "" };
  const steps = ["pass", "pass"].map((send, at) => ({
    wait: ["New password", "same again"][at] ?? "",
    send: `${send}\r`,
  }));
  const created = await other.terminal(["login", "--new", "--json"], { env, steps });
  expect(created.code, created.output).toBe(0);
  const password = { KEEPLIGHT_PASSWORD: "pass" };
  const [who] = await other.events(["whoami"], { env });
  const renewed = await other.events(["login"], { env: { ...env, ...password } });
  expect(renewed.at(-1)).toMatchObject({ address: who?.["address"], keystore: expect.stringContaining("keystore-") });
  await writeFile(join(other.cwd, "secret.txt"), "mine");
  const events = await other.events(["up", "-e", "secret.txt"], { env: { ...env, ...password } });
  const cid = String(events.find(({ event }) => event === "item")?.["cid"]);
  const info = await other.events(["info", cid], { env });
  expect(info.at(-1)).toMatchObject({ access: { owner: String(who?.["address"]).toLowerCase() } });
});

test("up, ls, info, get, decrypt and rm", async () => {
  const dry = await json("up", "--dry-run", "photo.jpg");
  expect(dry.result).toMatchObject({ count: 1, bytes: 7 });
  const plain = await json("up", "photo.jpg");
  const photo = getCid(plain.items);
  expect(await seen("up", ["-e", "letters"])).toMatch(/one\.txt[\s\S]*2 files are stored\./);
  const listed = await json("ls");
  expect(listed.items.map(({ name, path }) => path ?? name).sort()).toEqual([
    "letters/more/two.txt",
    "letters/one.txt",
    "photo.jpg",
  ]);
  expect((await json("ls", "--all")).items.length).toBeGreaterThan(3);
  expect(await seen("ls")).toMatch(/Name +Size +(Created +)?Content id\n/);
  const letter = getCid(listed.items.filter(({ path }) => path === "letters/one.txt"));
  // What the network knows has no name.
  const hidden = { name: expect.stringMatching(/^[0-9a-f]{32}$/), encrypted: true };
  expect((await json("info", letter)).result).toMatchObject(hidden);
  expect(await seen("info", [letter])).not.toContain("one.txt");

  expect((await json("get", photo)).result).toMatchObject({ path: join(person.cwd, photo), verified: "blocks" });
  expect(await seen("get", [photo, "--name-from-network", "--force"])).toContain("photo.jpg");
  expect((await json("decrypt", letter, "-o", "again.txt", "--strict")).result).toMatchObject({ size: 16 });
  expect(await readFile(join(person.cwd, "again.txt"), "utf8")).toBe("the first letter");
  expect(await seen("decrypt", [letter, "-o", "seen.txt"])).toContain("seen.txt");
  const { stdout } = await person.run(["decrypt", letter, "-o", "-"]);
  expect(stdout).toBe("the first letter");

  const friendly = await rig().createPerson();
  const pinned = await friendly.events(["pin", photo, "--name", "copy.jpg"]);
  expect(findUndocumented("pin", pinned)).toEqual([]);
  expect(pinned.at(-1)).toMatchObject({ event: "result", cid: photo, name: "copy.jpg" });
  expect((await friendly.events(["ls"]))[0]).toMatchObject({ cid: photo, name: "copy.jpg" });
  expect((await json("pin", letter, "--dry-run")).result).toEqual({ cid: letter, name: null });
  expect(await seen("pin", [letter])).toContain(`Pinned ${letter}`);

  expect((await json("rm", photo, "--dry-run")).result).toEqual({ count: 0 });
  expect(await seen("rm", [photo], [{ wait: "Delete photo.jpg?", send: "y" }])).toContain("Deleted photo.jpg");
  expect((await json("rm", letter, "--yes")).result).toEqual({ count: 1 });
  expect((await json("ls")).result).toEqual({ count: 1 });
});

test("share, revoke, transfer, conditions, health and repair", async () => {
  const { items } = await json("up", "-e", "photo.jpg");
  const cid = getCid(items);
  const nodes = [1, 2, 3, 4, 5];
  expect((await json("share", cid, friend)).result).toEqual({ cid, addresses: [friend], nodes });
  expect(await seen("share", [cid, heir])).toContain("Shared with");
  expect((await json("info", cid)).result.access.sharedTo).toEqual([friend, heir]);
  expect((await json("revoke", cid, friend)).result).toEqual({ cid, addresses: [friend], nodes });
  expect(await seen("revoke", [cid, heir, "--dry-run"])).toContain("Not done");
  expect((await json("conditions explain", "rule.json")).result["explanation"]).toContain("Access is granted");
  expect(await seen("conditions explain", ["rule.json"])).toContain("Access is granted");
  expect((await json("conditions set", cid, "rule.json")).result).toMatchObject({ cid, nodes });
  expect(await seen("conditions set", [cid, "rule.json"])).toContain("Conditions set");
  const chain = rig().devnet.chain?.rpc ?? "";
  const url = `${samples.native.chain}=${chain}`;
  expect((await json("conditions try", "rule.json", person.address, "--rpc", url)).result["allowed"]).toBe(true);
  expect(await seen("conditions try", ["rule.json", person.address, "--rpc", url])).toContain("would be granted");
  expect((await json("health", cid)).result).toMatchObject({ healthy: true, key: "recoverable" });
  expect(await seen("health", [cid])).toMatch(/Key healthy +yes/);
  expect((await json("repair", cid)).result.nodes.map(({ done }) => done)).toEqual(Array(5).fill("kept"));
  expect(await seen("repair", [cid, "--dry-run"])).toContain("kept");
  expect(await seen("transfer", [cid, heir, "--dry-run"])).toContain("Not done");
  expect((await json("transfer", cid, heir, "--confirm", heir.slice(-4))).result).toMatchObject({ owner: heir, nodes });
});

test("delegate, and decrypt as a delegate", async () => {
  const { items } = await json("up", "-e", "photo.jpg");
  const cid = getCid(items);
  const delegate = await rig().createPerson();
  const open = ["decrypt", cid, "--owner", person.address, "-o", "-"];
  expect(await delegate.run(open)).toMatchObject({ code: 1, stderr: expect.stringContaining("Access Denied") });
  const who = delegate.address;
  const nodes = [1, 2, 3, 4, 5];
  expect((await json("delegate", who, "--dry-run")).result).toEqual({ delegates: [who], nodes: [] });
  expect((await delegate.run(open)).code).toBe(1);
  const steps = [{ wait: "open ALL", send: "y" }];
  expect(await seen("delegate", [who], steps)).toContain(`files of ${person.address} to ${who}`);
  expect(await delegate.run(open)).toMatchObject({ code: 0, stdout: "a photo" });
  expect((await json("delegate", "--revoke")).result).toEqual({ delegates: [], nodes });
  expect((await delegate.run(open)).code).toBe(1);
  expect((await json("delegate", who, "--yes")).result).toEqual({ delegates: [who], nodes });
  expect(await seen("delegate", ["--revoke"])).toContain(`Revoked all delegates of ${person.address}`);
});

test("delegate asks first, takes addresses or --revoke, and is completed by resume", async () => {
  const refused = await person.events(["delegate", friend], { code: 1 });
  expect(refused.at(-1)).toMatchObject({ code: "NEEDS_TERMINAL" });
  const { output, code } = await person.terminal(["delegate", friend], { steps: [{ wait: "open ALL", send: "n" }] });
  expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining("Nothing was done") });
  for (const args of [["delegate"], ["delegate", friend, "--revoke"]]) {
    expect((await person.events(args, { code: 1 })).at(-1)).toMatchObject({ code: "USAGE" });
  }
  expect((await person.events(["delegate", "me", "--yes"], { code: 1 })).at(-1)).toMatchObject({
    code: "INVALID_ADDRESS",
  });
  const { devnet } = rig();
  devnet.stopNode(5);
  const failed = await person.events(["delegate", friend, "--yes"], { code: 2 });
  expect(findUndocumented("delegate", failed)).toEqual([]);
  const id = String(failed.at(-1)?.["resume"]).split(" ").at(-1) ?? "";
  expect((await json("resume", "--list")).items).toMatchObject([{ id, kind: "delegate", cids: [] }]);
  devnet.startNode(5);
  expect(await seen("resume", [id])).toContain("Completed delegate all encrypted files");
});

test("kit make and kit open", async () => {
  const { items } = await json("up", "-e", "photo.jpg");
  const cid = getCid(items);
  const env = { KEEPLIGHT_PASSWORD: "many words" };
  const made = await person.events(["kit", "make", "kit.age", cid], { env });
  expect(findUndocumented("kit make", made)).toEqual([]);
  ran.add("kit make");
  const opened = await person.events(["kit", "open", "kit.age"], { env });
  expect(findUndocumented("kit open", opened)).toEqual([]);
  ran.add("kit open");
  expect(opened.map(({ event }) => event)).toEqual(["item", "result"]);
  const steps = [
    { wait: "Passphrase", send: "a b c\r" },
    { wait: "same again", send: "a b c\r" },
  ];
  expect(await seen("kit make", ["typed.age", cid], steps)).toContain("1 keys");
  expect(await seen("kit open", ["typed.age"], [{ wait: "passphrase", send: "a b c\r" }])).toContain("photo.jpg");
  const { stdout } = await person.run(["decrypt", cid, "--kit", "kit.age", "-o", "-"], { env });
  expect(stdout).toBe("a photo");
});

test("names list, create, publish and remove", async () => {
  const { items } = await json("up", "photo.jpg");
  const cid = getCid(items);
  const { result } = await json("names create");
  expect((await json("names publish", result.name, cid)).result).toMatchObject({ ipns: result.ipns, cid });
  expect(await seen("names publish", [result.name, cid])).toContain("points to");
  expect((await json("names list")).items).toEqual([{ name: result.name, ipns: result.ipns, cid }]);
  expect(await seen("names list")).toContain(result.name);
  expect(await seen("names create", ["--dry-run"])).toContain("Would create");
  expect(await seen("names remove", [result.name, "--dry-run"])).toContain("Would remove");
  expect((await json("names remove", result.name, "--yes")).result).toEqual({ name: result.name });
});

test("proof, quote, pay and balance", async () => {
  const { items } = await json("up", "photo.jpg");
  const cid = getCid(items);
  const proof = await eventually(() => json("proof", cid, "--save", "proof.json"));
  expect(proof.result["deals"]).toHaveLength(1);
  expect(await seen("proof", [cid])).toMatch(/piece baga[\s\S]*root[^\n]*✓ verified[\s\S]*Only the network says/);
  expect((await json("quote", "letters", "--token", "usdc")).result).toMatchObject({ files: 2, totalSize: 33 });
  expect(await seen("quote", ["letters"])).toMatch(/Files +2/);
  const order = ["--size", "5000000", "--token", "usdc", "--network", "devnet"];
  expect((await json("pay", ...order, "--dry-run")).result).toMatchObject({ token: "usdc", missing: [] });
  const paid = await json("pay", ...order, "--order", "first", "--yes");
  expect(paid.result).toMatchObject({ token: "usdc", hash: expect.stringMatching(/^0x/) });
  const again = await json("pay", ...order, "--order", "first", "--yes");
  expect(again.result.hash).toBe(paid.result.hash);
  expect(await seen("pay", order, [{ wait: "Pay 0", send: "y" }])).toContain("Paid: 0x");
  expect((await json("balance")).result["dataUsed"]).toBeGreaterThan(0);
  expect(await seen("balance")).toMatch(/Left +/);
});

test("resume completes an upload whose last key node was down", async () => {
  const { devnet } = rig();
  devnet.stopNode(5);
  const failed = await person.events(["up", "-e", "letters"], { code: 2 });
  expect(findUndocumented("up", failed)).toEqual([]);
  const error = failed.at(-1);
  expect(error).toMatchObject({
    event: "error",
    exitCode: 2,
    resume: expect.stringMatching(/^keeplight resume [0-9a-f]{32}$/),
  });
  const id = String(error?.["resume"]).split(" ").at(-1) ?? "";
  expect((await json("resume", "--list")).items).toMatchObject([{ id, kind: "upload" }]);
  const still = await person.events(["resume", id], { code: 2 });
  expect(findUndocumented("resume", still)).toEqual([]);
  devnet.startNode(5);
  expect(await seen("resume", ["--list"])).toContain(id);
  expect((await json("resume", id)).result).toEqual({ completed: 1, open: 0 });
  expect(await seen("resume")).toContain("Nothing is open");
});

test("backup, snapshots, restore, forget and prune", async () => {
  await writeTree(person.cwd, {
    "diary/monday.txt": "rain",
    "diary/2026/may.txt": "sun",
    "diary/note.tmp": "-",
    "diary/.keeplightignore": "*.tmp\n.keeplightignore",
  });
  const counts = { files: 2, bytes: 7, filesToRead: 2, bytesToRead: 7 };
  expect((await json("backup", "diary", "--dry-run")).result).toEqual(counts);
  const { result } = await json("backup", "diary", "--tag", "first");
  expect(result).toMatchObject({ files: 2, bytes: 7, tags: ["first"], isUnchanged: false, skipped: 0 });
  const { cid } = result;
  expect(await seen("backup", ["diary", "--tag", "first"])).toContain(`Nothing has changed since snapshot ${cid}`);
  expect((await json("snapshots")).items).toMatchObject([{ cid, root: join(person.cwd, "diary"), files: 2 }]);
  expect((await json("snapshots", "--tag", "other")).result).toEqual({ count: 0, unread: 0 });
  expect(await seen("snapshots")).toContain("diary");
  expect((await json("restore", cid, "again", "--dry-run")).result).toEqual({ files: 2, bytes: 7 });
  expect((await json("restore", cid, "again")).result).toMatchObject({ restored: 2, skipped: 0 });
  expect(await seen("restore", [cid, "again"])).toMatch(/0 of 2 files restored to .*; the others were there/);
  expect(await readFile(join(person.cwd, "again/monday.txt"), "utf8")).toBe("rain");
  expect((await json("restore", cid, "part", "--path", "2026")).result).toMatchObject({ files: 1, restored: 1 });
  expect(await readdir(join(person.cwd, "part"))).toEqual(["2026"]);
  expect((await json("snapshot ls", cid)).items).toMatchObject([
    { path: "2026", kind: "folder" },
    { path: "2026/may.txt", kind: "file", size: 3 },
    { path: "monday.txt", kind: "file", size: 4 },
  ]);
  expect(await seen("snapshot ls", [cid, "2026"])).toMatch(/folder {2}2026\n.*3 B {2}2026\/may\.txt\n/);
  expect(await seen("snapshot check", ["--sample", "1"])).toContain("1 snapshots are complete, 1 packs read");
  expect((await json("snapshot check", "--sample", "1")).result).toMatchObject({ snapshots: 1 });
  // Files below folders that do not match themselves.
  const matching = await json("backup", "diary", "--include", "may.*", "--dry-run");
  expect(matching.result).toMatchObject({ files: 1, bytes: 3 });
  expect((await json("snapshots")).items).toHaveLength(1);

  await person.events(["kit", "make", "backups.kit"], { env: { KEEPLIGHT_PASSWORD: "a passphrase" } });
  const byKit = { env: { KEEPLIGHT_PASSWORD: "a passphrase", KEEPLIGHT_PRIVATE_KEY: "" } };
  const listed = await person.events(["snapshots", "--kit", "backups.kit"], byKit);
  expect(listed).toMatchObject([
    { event: "item", cid },
    { event: "result", count: 1, unread: 0 },
  ]);
  await person.events(["restore", cid, "by-kit", "--kit", "backups.kit"], byKit);
  expect(await readFile(join(person.cwd, "by-kit/monday.txt"), "utf8")).toBe("rain");

  await writeTree(person.cwd, { "diary/monday.txt": "sun" });
  const second = (await json("backup", "diary")).result["cid"];
  const changes = await json("snapshot diff", cid, String(second));
  expect(changes.items).toEqual([expect.objectContaining({ path: "monday.txt", change: "content" })]);
  expect(changes.result).toMatchObject({ added: 0, removed: 0, content: 1, facts: 0 });
  expect(await seen("snapshot diff", [cid, String(second)])).toContain("M  monday.txt");

  const preview = await json("forget", "--keep-last", "1", "--dry-run");
  expect(preview.result).toEqual({ forgotten: 1, kept: 1 });
  expect(preview.items).toMatchObject([{ cid }]);
  expect(await seen("forget", ["--keep-last", "1", "--dry-run"])).toContain("Would forget 1 snapshots, and keep 1");
  expect((await json("snapshots")).items).toHaveLength(2);
  for (const args of [
    ["forget", cid, "--keep-last", "1", "--yes"],
    ["forget", "--yes"],
    ["forget", "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e", "--dry-run"],
    ["restore", cid, "nowhere", "--path", "2027", "--dry-run"],
  ]) {
    expect({ args, events: await person.events(args, { code: 1 }) }).toMatchObject({
      args,
      events: [{ event: "error" }],
    });
  }
  expect((await json("snapshots")).items).toHaveLength(2);
  expect((await json("forget", "--keep-last", "1", "--yes")).result).toEqual({ forgotten: 1, kept: 1 });
  expect((await json("prune", "--grace-days", "0", "--dry-run")).result).toMatchObject({ deleted: 0, repacked: 1 });
  expect((await json("prune", "--grace-days", "0")).result).toMatchObject({ deleted: 0, marked: 1, repacked: 1 });
  expect(await seen("prune", ["--grace-days", "0"])).toContain("1 packs deleted, 0 marked");
  // Repacked, it is another file.
  const left = (await json("snapshots")).items;
  expect((await json("restore", getCid(left), "last")).result).toMatchObject({ restored: 2 });
  expect((await json("forget", getCid(left), "--yes")).result).toEqual({ forgotten: 1 });
  expect(await seen("snapshots")).toContain("The account has no snapshots.");
});

test("a restore that leaves something out is incomplete", async () => {
  await writeTree(person.cwd, { "with-link/note.txt": "rain" });
  await symlink("/etc/hostname", join(person.cwd, "with-link/outside"));
  const { cid } = (await json("backup", "with-link")).result;
  const { items, result } = await jsonWithCode(2, "restore", cid, "without-link");
  expect(items).toEqual([{ path: "outside", reason: "link" }]);
  expect(result).toMatchObject({ restored: 1, skipped: 1 });
  expect((await json("restore", cid, "without-link", "--outside-links")).result).toMatchObject({ skipped: 0 });
});

test("schedule prints units that run the backup", async () => {
  const { result } = await json("schedule", "di'a%ry", "--every", "hour", "--exclude", "*.tmp");
  const folder = join(person.cwd, "di'a%ry");
  expect(result["service"]).toContain(`"backup" "${folder.replace("%", "%%")}" "--exclude" "*.tmp"`);
  expect(result["timer"]).toContain("OnCalendar=hourly");
  expect((await json("schedule", "else/di'a%ry", "--every", "hour")).result["unit"]).not.toBe(result["unit"]);
  expect(result["cron"]).toMatch(
    /^\d+ \* \* \* \* \S+ \S+bin\.js backup '.*di'\\''a\\%ry' --exclude '\*\.tmp' --quiet$/,
  );
  expect(await seen("schedule", ["diary"])).toMatch(/systemctl --user enable --now keeplight-diary-[0-9a-f]{8}\.timer/);
});

test("bulk plan", async () => {
  const { result } = await json("bulk plan", "letters", "-e");
  expect(result).toMatchObject({ files: 2, batches: 1, keyNodeRequests: 10 });
  expect(await seen("bulk plan", ["letters", "--to", "other.plan"])).toMatch(/Files +2\n/);
});

test("bulk plan and status name what is left out", async () => {
  await writeTree(person.cwd, { "odd/one.txt": "one" });
  await symlink("nowhere", join(person.cwd, "odd/broken"));
  const leftOut = [{ path: "broken", code: "SOURCE_UNREADABLE" }];
  for (const isNew of [true, false]) {
    const { items, result } = await jsonWithCode(2, "bulk plan", "odd");
    expect(items).toEqual(leftOut);
    expect(result).toMatchObject({ files: 1, isNew });
  }
  expect((await json("bulk status", "odd.plan")).result).toMatchObject({ skipped: 1, leftOut });
  expect(await seen("bulk status", ["odd.plan"])).toMatch(/Left out +1: broken \(SOURCE_UNREADABLE\)\n/);
  expect(await seen("bulk status", ["odd.plan"])).toMatch(/State +nothing sent yet\n/);
});

test("bulk run of encrypted files, and bulk pay", async () => {
  await json("bulk plan", "letters", "--to", "secret.plan", "-e", "--one-key-per-batch");
  const pay = ["secret.plan", "--token", "usdc", "--network", "devnet"];
  expect((await json("bulk pay", ...pay, "--dry-run")).result).toMatchObject({ token: "usdc", missing: [] });
  const { result } = await json("bulk pay", ...pay, "--yes");
  expect((await json("bulk pay", ...pay, "--yes")).result.hash).toBe(result.hash);
  expect(await seen("bulk pay", pay, [{ wait: "Pay 0", send: "y" }])).toContain("Paid: 0x");
  expect((await json("bulk run", "secret.plan")).result).toMatchObject({ filesDone: 2, counts: { saved: 2 } });
});

test("bulk run, status, pause, retry and cancel", async () => {
  await json("bulk plan", "letters", "--to", "plain.plan");
  expect((await json("bulk run", "plain.plan", "--dry-run")).result).toMatchObject({ filesDone: 0 });
  expect((await json("bulk run", "plain.plan", "--workers", "2")).result).toMatchObject({ filesDone: 2, setAside: 0 });
  expect(await seen("bulk status", ["plain.plan"])).toMatch(/Done +2 of 2 files/);
  expect((await json("bulk status", "plain.plan", "--set-aside")).items).toEqual([]);
  expect(await seen("bulk status", ["plain.plan", "--metrics"])).toMatch(/keeplight_bulk_files_done\{.*\} 2\n/);
  expect((await json("bulk verify", "plain.plan")).result).toEqual({ verified: 2, lost: 0, unread: 0 });
  expect((await json("bulk pause", "plain.plan")).result).toMatchObject({ state: "paused" });
  expect((await json("bulk retry", "plain.plan")).result).toEqual({ files: 0 });
  expect((await json("bulk cancel", "plain.plan")).result).toMatchObject({ state: "cancelled" });
});

test("bulk status of a plan that another process runs says so", async () => {
  await json("bulk plan", "letters", "--to", "used.plan");
  const { openBulkLedger } = await import("../../bulk/src/index.ts");
  const ledger = await openBulkLedger(join(person.cwd, "used.plan/ledger"));
  for (const command of ["status", "pause"]) {
    const events = await person.events(["bulk", command, "used.plan"], { code: 1 });
    expect(events.at(-1)).toMatchObject({ event: "error", code: "LEDGER_IN_USE" });
  }
  await ledger.close();
});

test("bulk status of a plan whose ledger cannot be opened shows what the last run has written", async () => {
  await json("bulk plan", "letters", "--to", "shut.plan");
  const lock = join(person.cwd, "shut.plan/ledger/LOCK");
  const shut = () => mkdir(lock, { recursive: true });
  await shut();
  const status = ["bulk", "status", "shut.plan"];
  expect((await person.events(status, { code: 1 })).at(-1)).toMatchObject({ code: "CANNOT_WRITE" });
  await rm(lock, { recursive: true });
  await json("bulk run", "shut.plan");
  await rm(lock);
  await shut();
  expect((await json("bulk status", "shut.plan")).result).toMatchObject({ files: 2, filesDone: 2 });
  expect(await seen("bulk status", ["shut.plan"])).toMatch(
    /Could not write: .*: this is what the last run has written/,
  );
  const refused = await person.events([...status, "--set-aside"], { code: 1 });
  expect(refused.at(-1)).toMatchObject({ code: "CANNOT_WRITE" });
});

test("bulk status shows how far another process is", async () => {
  await json("bulk plan", "letters", "--to", "slow.plan");
  const release = rig().devnet.faults.add({ service: "upload", action: { kind: "delay", ms: 600_000 } });
  onTestFinished(release);
  const child = person.start(["bulk", "run", "slow.plan", "--json"]);
  const ended = finish(child);
  await once(child.stdout ?? child, "data");
  await eventually(async () => {
    const { result } = await json("bulk status", "slow.plan");
    expect(result).toMatchObject({ files: 2, filesDone: 0, state: "running", filesPerSecond: 0 });
    expect(Date.now() - Number(result["writtenAt"])).toBeLessThan(3_600_000);
  });
  expect(await seen("bulk status", ["slow.plan"])).toMatch(/Done +0 of 2 files[\s\S]*Written +\d+:\d+ ago/);
  expect(await seen("bulk status", ["slow.plan", "--metrics"])).toMatch(/keeplight_bulk_files_done\{.*\} 0\n/);
  const refused = await person.events(["bulk", "status", "slow.plan", "--set-aside"], { code: 1 });
  expect(refused.at(-1)).toMatchObject({ code: "LEDGER_IN_USE" });
  child.kill("SIGKILL");
  await ended;
  release();
  expect((await json("bulk status", "slow.plan")).result).not.toHaveProperty("writtenAt");
  expect((await json("bulk run", "slow.plan")).result).toMatchObject({ filesDone: 2 });
});

test("bulk enqueue and worker", async () => {
  const { url, stop } = await startPostgres();
  try {
    const places = ["--connection", url, "--ledger", url];
    await json("bulk plan", "letters", "--to", "queued.plan");
    expect((await json("bulk enqueue", "queued.plan", ...places)).result).toEqual({ batches: 1 });
    const child = person.start(["bulk", "worker", "--json", ...places]);
    const ended = finish(child);
    await eventually(async () => {
      const { result } = await json("bulk status", "queued.plan", "--ledger", url);
      expect(result).toMatchObject({ filesDone: 2 });
    });
    child.kill("SIGINT");
    const { code, stdout } = await ended;
    expect(code).toBe(0);
    expect(findUndocumented("bulk worker", parseEvents(stdout))).toEqual([]);
    ran.add("bulk worker");

    await writeTree(person.cwd, { "gone/a.txt": "a", "gone/b.txt": "b" });
    await json("bulk plan", "gone", "--to", "gone.plan");
    await rm(join(person.cwd, "gone/b.txt"));
    await json("bulk enqueue", "gone.plan", ...places);
    const other = person.start(["bulk", "worker", "--json", ...places]);
    const otherEnded = finish(other);
    await eventually(async () => {
      const { result } = await json("bulk status", "gone.plan", "--ledger", url);
      expect(result).toMatchObject({ filesDone: 1, setAside: 1 });
    });
    other.kill("SIGINT");
    const { code: incomplete, stdout: events } = await otherEnded;
    expect(incomplete).toBe(2);
    const message = expect.stringContaining("1 files were set aside");
    expect(parseEvents(events)).toContainEqual(expect.objectContaining({ event: "warning", message }));
  } finally {
    await stop();
  }
});

test("devnet runs a network that other commands use, until it is interrupted", async () => {
  await writeFile(join(person.cwd, "mine.json"), JSON.stringify({ keystore: "mine" }));
  const refused = await person.events(["devnet", "--config", "mine.json"], { code: 1 });
  expect(refused.at(-1)).toMatchObject({ code: "FILE_EXISTS" });
  const child = person.start(["devnet", "--json", "--show-keys", "--fixed-accounts", "--config", "other.json"]);
  const ended = finish(child);
  let text = "";
  child.stdout?.on("data", (chunk) => (text += chunk));
  const [ready] = await eventually(() => {
    const events = parseEvents(text);
    expect(events).toHaveLength(1);
    return events;
  });
  expect(findUndocumented("devnet", ready ? [ready] : [])).toEqual([]);
  ran.add("devnet");
  const [account] = (ready?.["accounts"] ?? []) as { address: string; privateKey: string; apiKey: string }[];
  const described = await fetch(String(ready?.["control"]));
  expect(await described.json()).toMatchObject({
    endpoints: ready?.["endpoints"],
    accounts: [account, {}, {}, {}, {}],
  });
  const env = {
    KEEPLIGHT_CONFIG: join(person.cwd, "other.json"),
    KEEPLIGHT_PRIVATE_KEY: account?.privateKey ?? "",
    KEEPLIGHT_API_KEY: "",
    KEEPLIGHT_PASSWORD: "x",
    XDG_STATE_HOME: join(person.home, "elsewhere"),
  };
  await person.events(["login"], { env });
  expect((await person.events(["up", "photo.jpg"], { env })).at(-1)).toMatchObject({ count: 1 });
  child.kill("SIGINT");
  expect((await ended).code).toBe(0);
});

test("completion prints a script for each shell", async () => {
  expect((await json("completion", "bash")).result["script"]).toContain("complete -F");
  for (const shell of ["zsh", "fish", "powershell"]) expect(await seen("completion", [shell])).toContain("keeplight");
});

test("every command of the table was run", () => {
  expect(groups.flatMap(({ commands }) => commands.map(({ name }) => name)).filter((name) => !ran.has(name))).toEqual(
    [],
  );
});
