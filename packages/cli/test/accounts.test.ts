import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { kavachGenerate } from "../../../src/index.ts";
import { writeTree } from "../../../test/support/files.ts";
import { rigForTests } from "./rig.ts";
import { findUndocumented } from "./schema.ts";

const rig = rigForTests();

afterEach(() => rig().devnet.faults.clear());

/** Nothing of the environment signs or holds a key. */
const loggedIn = { KEEPLIGHT_API_KEY: "", KEEPLIGHT_PASSWORD: "pass" };

test("the login of one account is not used with the key of another, by whatever command needs both", async () => {
  const [anna, ben] = [await rig().createPerson(), await rig().createPerson()];
  await writeTree(anna.cwd, { "a.txt": "a", "data/b.txt": "b" });
  await anna.events(["login"], { env: loggedIn });
  await anna.events(["bulk", "plan", "data", "--encrypt"], { env: loggedIn });
  await anna.events(["up", "-e", "a.txt"], { env: { ...loggedIn, KEEPLIGHT_PRIVATE_KEY: anna.privateKey } });
  const stop = rig().devnet.faults.add({
    service: "keyNodes",
    path: "/api/setSharedKey",
    action: { kind: "respond", status: 500 },
  });
  await anna.events(["up", "-e", "a.txt"], { env: { ...loggedIn, KEEPLIGHT_PRIVATE_KEY: anna.privateKey }, code: 2 });
  stop();
  const env = { ...loggedIn, KEEPLIGHT_PRIVATE_KEY: ben.privateKey };
  const before = rig().devnet.requests().length;
  for (const args of [
    ["up", "-e", "a.txt"],
    ["backup", "data"],
    ["bulk", "run", "data.plan"],
    ["kit", "make", "a.kit"],
    ["bulk", "pay", "data.plan", "--token", "usdc"],
    ["pay", "--size", "1", "--token", "usdc"],
    ["resume"],
  ]) {
    const [event, ...others] = await anna.events(args, { env, code: 1 });
    expect({ args, event, others }).toMatchObject({
      args,
      event: { code: "ACCOUNT_MISMATCH", message: `The login is of ${anna.address}, and ${ben.address} would sign` },
      others: [],
    });
  }
  expect(rig().devnet.requests().slice(before)).toEqual([]);
  const [warning] = await anna.events(["whoami"], { env });
  expect(warning).toMatchObject({ event: "warning", message: expect.stringContaining(`login is of ${anna.address}`) });
  await anna.events(["up", "-e", "a.txt"], { env: loggedIn });
});

test("an API key of the environment is not used with the key of another account, once it has files", async () => {
  const [anna, ben] = [await rig().createPerson(), await rig().createPerson()];
  await writeTree(anna.cwd, { "a.txt": "a" });
  await anna.events(["up", "a.txt"]);
  const env = { KEEPLIGHT_PRIVATE_KEY: ben.privateKey };
  for (const args of [["-e"], ["-e", "--visible-names"]]) {
    const before = rig().devnet.requests().length;
    const events = await anna.events(["up", ...args, "a.txt"], { env, code: 1 });
    expect(events).toMatchObject([
      { code: "ACCOUNT_MISMATCH", message: expect.stringContaining(anna.address.toLowerCase()) },
    ]);
    expect(
      rig()
        .devnet.requests()
        .slice(before)
        .filter(({ method }) => method !== "GET"),
    ).toEqual([]);
  }
});

test("delegates are set for the account of the login only, which the question and the outcome name", async () => {
  const [anna, ben] = [await rig().createPerson(), await rig().createPerson()];
  await anna.events(["login", "--profile", "work"], { env: loggedIn });
  const work = ["--profile", "work"];
  const env = { ...loggedIn, KEEPLIGHT_PRIVATE_KEY: ben.privateKey };
  const before = rig().devnet.requests().length;
  for (const args of [[ben.address, "--yes"], [ben.address, "--dry-run"], ["--revoke"]]) {
    const events = await anna.events(["delegate", ...args, ...work], { env, code: 1 });
    expect({ args, events }).toMatchObject({ args, events: [{ code: "ACCOUNT_MISMATCH" }] });
  }
  expect(rig().devnet.requests().slice(before)).toEqual([]);
  const steps = [{ wait: `open ALL encrypted files of ${anna.address}`, send: "y" }];
  const delegated = await anna.terminal(["delegate", ben.address, ...work], { env: loggedIn, columns: 250, steps });
  expect(delegated.output).toContain(`Delegated all encrypted files of ${anna.address} to ${ben.address}`);
  const revoked = await anna.run(["delegate", "--revoke", ...work], { env: loggedIn });
  expect(revoked.stdout + revoked.stderr).toContain(`Revoked all delegates of ${anna.address}`);
});

test("a login that is renewed keeps the private key that it has, whatever signs beside it", async () => {
  const anna = await rig().createPerson();
  const { privateKey } = anna;
  const nothing = { ...loggedIn, KEEPLIGHT_PRIVATE_KEY: "" };
  await anna.events(["login", "--private-key-stdin"], { env: nothing, input: privateKey });
  const password = { KEEPLIGHT_PASSWORD: "another" };
  const refused = await anna.events(["login"], { env: { ...loggedIn, ...password }, code: 1 });
  expect(refused).toMatchObject([{ code: "WRONG_PASSWORD" }]);
  await anna.events(["login"], { env: loggedIn });
  expect((await anna.events(["whoami"], { env: nothing })).at(-1)).toMatchObject({ signer: "login" });
  await writeTree(anna.cwd, { "a.txt": "a" });
  await anna.events(["up", "-e", "a.txt"], { env: nothing });
});

test("profiles have an account each, with its API key and its private key", async () => {
  const [anna, ben] = [await rig().createPerson(), await rig().createPerson()];
  await writeTree(anna.cwd, { "a.txt": "a" });
  const secret = { ...loggedIn, KEEPLIGHT_PRIVATE_KEY: "" };
  const login = await anna.run(["login"], { env: loggedIn });
  expect(login.stderr).toContain("keeps the API key only: KEEPLIGHT_PRIVATE_KEY goes on signing");
  expect((await anna.events(["whoami"], { env: secret })).at(-1)).toMatchObject({ signer: null, apiKey: "login" });
  await anna.events(["login", "--profile", "work"], { env: { ...loggedIn, KEEPLIGHT_PRIVATE_KEY: ben.privateKey } });
  const profiles = await anna.events(["profile", "list", "--profile", "work"], { env: secret });
  expect(profiles).toMatchObject([
    { name: "default", address: anna.address, store: "sealed", signs: false, current: false },
    { name: "work", address: ben.address, store: "sealed", signs: true, current: true },
    { count: 2 },
  ]);
  expect(findUndocumented("profile list", profiles)).toEqual([]);
  // Whatever the environment has, a profile that is named is of its own account.
  const [item] = await anna
    .events(["up", "-e", "a.txt", "-q"], { env: { ...secret, KEEPLIGHT_PROFILE: "work" } })
    .then((events) => events.filter(({ event }) => event === "item"));
  const cid = String(item?.["cid"]);
  expect((await ben.run(["decrypt", cid, "-o", "-"])).stdout).toBe("a");
  const mixed = await anna.events(["up", "-e", "a.txt", "--profile", "work"], {
    env: { KEEPLIGHT_PASSWORD: "pass" },
    code: 1,
  });
  expect(mixed).toMatchObject([{ code: "ACCOUNT_MISMATCH" }]);
  expect(await anna.events(["profile", "use", "none"], { code: 1 })).toMatchObject([{ code: "NO_PROFILE" }]);
  expect(await anna.events(["whoami", "--profile", "../x"], { code: 1 })).toMatchObject([{ code: "USAGE" }]);
  await anna.events(["profile", "use", "work"]);
  expect((await anna.events(["whoami"], { env: secret })).at(-1)).toMatchObject({
    profile: "work",
    address: ben.address,
  });
  await anna.events(["logout", "--yes"], { env: secret });
  expect((await anna.run(["profile", "list", "-q"])).stdout).toBe("default\n");
  expect(await anna.events(["whoami"])).toMatchObject([{ profile: "default" }]);
  const gone = await anna.run(["balance", "--profile", "work"]);
  expect(gone.stderr).toContain("keeplight login --profile work");
  const files = await readdir(join(anna.home, ".local/state/keeplight"));
  for (const file of files.filter((name) => name.startsWith("login"))) {
    expect((await stat(join(anna.home, ".local/state/keeplight", file))).mode & 0o777).toBe(0o600);
  }
});

test("addresses to share with may precede the path, and each is given by its own option", async () => {
  const [anna, ben, cleo] = [await rig().createPerson(), await rig().createPerson(), await rig().createPerson()];
  await writeTree(anna.cwd, { "a.txt": "a" });
  const events = await anna.events(["up", "-e", "--share-to", ben.address, "--share-to", cleo.address, "a.txt"]);
  const cid = String(events.find(({ event }) => event === "item")?.["cid"]);
  for (const friend of [ben, cleo]) {
    expect((await friend.run(["decrypt", cid, "-o", "-"])).stdout).toBe("a");
  }
});

test("what is typed before the next password is requested is not shown", async () => {
  const anna = await rig().createPerson();
  await anna.events(["login", "--private-key-stdin"], { env: loggedIn, input: `${anna.privateKey}\n` });
  const showsCursor = "\u001b[?25h";
  const steps = [
    { wait: "Password of this login", send: "pass\r" },
    // The prompt has ended, and the password is being checked.
    { wait: showsCursor, send: "hun" },
    { wait: "Passphrase of the new kit", send: "ter2\r" },
    { wait: "same again", send: "hunter2\r" },
  ];
  const env = { KEEPLIGHT_API_KEY: "", KEEPLIGHT_PRIVATE_KEY: "" };
  const { output, code } = await anna.terminal(["kit", "make", "all.kit"], { env, steps });
  expect(code, output).toBe(0);
  expect(output).not.toContain("hun");
});

test("decrypt names a key node that returned a wrong shard, and --strict refuses two", async () => {
  const anna = await rig().createPerson();
  await writeTree(anna.cwd, { "a.txt": "a" });
  const cid = (await anna.run(["up", "-e", "a.txt", "-q"])).stdout.trim();
  const { keyShards } = await kavachGenerate();
  const shards = Object.fromEntries(keyShards.map((shard, at) => [at + 1, shard]));
  const { attacks } = rig().devnet;
  const returnShards = (nodes: readonly number[]) =>
    attacks.add({
      kind: "return-shards",
      cid,
      shards: Object.fromEntries(nodes.map((node) => [node, shards[node]])),
    } as never);
  const endOne = returnShards([1]);
  // Four of the five nodes are asked, in random order: each time, the node is named if and only if it was one of them.
  let wasAsked = false;
  for (let run = 0; run < 40 && !wasAsked; run++) {
    const before = rig().devnet.requests().length;
    const events = await anna.events(["decrypt", cid, "--strict", "-o", `one-${run}.txt`]);
    const requests = rig().devnet.requests().slice(before);
    wasAsked = requests.some(({ node, path }) => node === 1 && path.includes("/retrieveSharedKey/"));
    const message = `Key node 1 returned a wrong shard: keeplight repair ${cid}`;
    const warnings = events.filter(({ event }) => event === "warning");
    expect(warnings.map((warning) => warning["message"])).toEqual(wasAsked ? [message] : []);
  }
  expect(wasAsked).toBe(true);
  endOne();
  returnShards([1, 2]);
  const refused = await anna.events(["decrypt", cid, "--strict", "-o", "two.txt"], { code: 1 });
  expect(refused.at(-1)).toMatchObject({ event: "error", code: "CANNOT_RECOVER_KEY" });
  await anna.events(["decrypt", cid, "-o", "two.txt"]);
  attacks.clear();
});

test("a transfer is carried out only if its address ends as the owner says", async () => {
  const [anna, ben] = [await rig().createPerson(), await rig().createPerson()];
  await writeTree(anna.cwd, { "a.txt": "a" });
  const cid = (await anna.run(["up", "-e", "a.txt", "-q"])).stdout.trim();
  const transfer = ["transfer", cid, ben.address];
  const last = ben.address.slice(-4);
  const wrong = last.replace(/.$/, (digit) => (digit === "0" ? "1" : "0"));
  const countSent = () => rig().devnet.requests().length;
  const before = countSent();
  for (const [args, code] of [
    [[], "NEEDS_TERMINAL"],
    [["--confirm", wrong], "DECLINED"],
    [["--confirm", last.slice(1)], "DECLINED"],
    [["--confirm", ben.address], "DECLINED"],
  ] as const) {
    const events = await anna.events([...transfer, ...args], { code: 1 });
    expect({ args, code: events.at(-1)?.["code"] }).toEqual({ args, code });
  }
  const declined = await anna.terminal(transfer, { steps: [{ wait: "Last four characters", send: `${wrong}\r` }] });
  expect(declined.output).toContain("Nothing was done");
  expect(countSent()).toBe(before);
  const done = await anna.terminal(transfer, { steps: [{ wait: "Last four characters", send: `${last}\r` }] });
  expect(done.output).toContain("Transferred to");
  expect((await ben.run(["decrypt", cid, "-o", "-"])).stdout).toBe("a");
});

test("health warns of a revoke that has reached some key nodes only", async () => {
  const [anna, ben] = [await rig().createPerson(), await rig().createPerson()];
  await writeTree(anna.cwd, { "a.txt": "a" });
  const cid = (await anna.run(["up", "-e", "--share-to", ben.address, "a.txt", "-q"])).stdout.trim();
  const action = { kind: "respond", status: 500 } as const;
  rig().devnet.faults.add({ service: "keyNodes", node: 4, method: "DELETE", action });
  await anna.events(["revoke", cid, ben.address], { code: 2 });
  rig().devnet.faults.clear();
  const [warning] = await anna.events(["health", cid]);
  const [open] = await anna.events(["resume", "--list"]);
  const message = `A revoke of this file is not complete: keeplight resume ${open?.["id"]}`;
  expect(warning).toMatchObject({ event: "warning", message });
  const [ofProfile] = await anna.events(["health", cid, "--profile", "home"]);
  expect(ofProfile).toMatchObject({ event: "warning", message: `${message} --profile home` });
  const steps = [{ wait: `Discard ${cid}?`, send: "n" }];
  const discard = await anna.terminal(["resume", String(open?.["id"]), "--discard"], { columns: 250, steps });
  expect(discard.output).toContain("Key nodes that have not carried it out never will");
  await anna.events(["resume"]);
  expect((await anna.events(["health", cid])).map(({ event }) => event)).toEqual(["result"]);
});
