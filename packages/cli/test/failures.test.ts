import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { createRecoveryIdentity } from "../../../src/index.ts";
import { writeTree } from "../../../test/support/files.ts";
import { finish, parseEvents, rigForTests } from "./rig.ts";

const rig = rigForTests();

afterEach(() => rig().devnet.faults.clear());

test("an empty argument or option is refused, as that of a variable that is not set, by whatever command", async () => {
  const person = await rig().createPerson();
  await writeTree(person.cwd, { "a.txt": "a" });
  const cid = "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e";
  for (const [message, ...args] of [
    ["The argument source is empty", "bulk", "plan", ""],
    ["The argument folder is empty", "backup", ""],
    ["The argument folder is empty", "backup", "", "--dry-run"],
    ["The argument folder is empty", "restore", cid, ""],
    ["The argument path is empty", "up", "a.txt", ""],
    ["The option --to is empty", "bulk", "plan", ".", "--to", ""],
    ["The option --to is empty", "bulk", "plan", ".", "--to="],
    ["The option --ledger is empty", "bulk", "run", "plan", "--ledger", ""],
    ["The option --recovery-to is empty", "up", "-e", "a.txt", "--recovery-to", ""],
    ["The option --share-to is empty", "up", "-e", "a.txt", "--share-to", person.address, "--share-to", ""],
  ] as const) {
    const events = await person.events(args, { code: 1 });
    expect({ args, events }).toMatchObject({ args, events: [{ event: "error", code: "USAGE", message }] });
  }
  expect(await readdir(person.cwd)).toEqual(["a.txt"]);
});

test("--recovery-to without --recovery is refused before anything is sent", async () => {
  const person = await rig().createPerson();
  await writeTree(person.cwd, { "a.txt": "a" });
  const before = rig().devnet.requests().length;
  for (const args of [[], ["-e"], ["-e", "--visible-names"]]) {
    const events = await person.events(["up", ...args, "a.txt", "--recovery-to", "keys"], { code: 1 });
    expect({ args, events }).toMatchObject({ args, events: [{ event: "error", code: "USAGE" }] });
  }
  expect(rig().devnet.requests().slice(before)).toEqual([]);
});

test("an identity in the place of its file is not repeated", async () => {
  const person = await rig().createPerson();
  const { identity } = await createRecoveryIdentity();
  for (const args of [
    ["kit", "open", "a.kit"],
    ["restore", "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e", "out", "--kit", "a.kit"],
  ]) {
    for (const [json, told] of [
      [[], "Set KEEPLIGHT_IDENTITY"],
      [["--json"], "--identity takes a file"],
    ] as const) {
      const { code, stdout, stderr } = await person.run([...args, "--identity", identity, ...json]);
      const shown = stdout + stderr;
      expect({ args, code, shown }).toEqual({ args, code: 1, shown: expect.stringContaining(told) });
      expect(shown.toUpperCase()).not.toContain(identity.toUpperCase());
    }
  }
});

test("commands for backups and datasets say what the service said, and what helps", async () => {
  const person = await rig().createPerson();
  await writeTree(person.cwd, { "data/a.txt": "a" });
  await person.events(["bulk", "plan", "data"]);
  const action = { kind: "respond", status: 401, text: '{"message":"Unauthorized"}' } as const;
  for (const service of ["api", "upload"] as const) rig().devnet.faults.add({ service, action });
  for (const args of [["snapshots"], ["backup", "data"], ["bulk", "run", "data.plan"]]) {
    const events = await person.events(args, { code: 1 });
    expect({ args, error: events.at(-1) }).toMatchObject({
      args,
      error: {
        event: "error",
        code: "HTTP_STATUS",
        message: expect.stringContaining("401: Unauthorized"),
        details: { status: 401, serverMessage: "Unauthorized" },
      },
    });
    expect((await person.run(args)).stderr).toContain("keeplight login");
  }
});

test("whoever waits for a service that is down is told so once, and when it is back", async () => {
  const person = await rig().createPerson();
  await writeTree(person.cwd, { "data/a.txt": "a" });
  await person.events(["bulk", "plan", "data"]);
  for (const args of [["backup", "data"]]) {
    rig().devnet.faults.add({ service: "upload", times: 2, action: { kind: "respond", status: 503 } });
    const { code, stderr } = await person.run(args);
    expect({ args, code, stderr }).toEqual({
      args,
      code: 0,
      stderr: expect.stringMatching(
        /^warning: Request failed with status code 503.*: http:.*\nFiles are being stored again\.\n$/,
      ),
    });
  }
});

test("two accounts on one machine back up the same folder, each with a state of its own", async () => {
  const person = await rig().createPerson();
  const other = await rig().createPerson();
  await writeTree(person.cwd, { "data/a.txt": "a" });
  const { KEEPLIGHT_API_KEY = "", KEEPLIGHT_PRIVATE_KEY = "" } = other.env;
  for (const env of [{}, { KEEPLIGHT_API_KEY, KEEPLIGHT_PRIVATE_KEY }]) {
    const events = await person.events(["backup", "data"], { env });
    expect(events.at(-1)).toMatchObject({ event: "result", isUnchanged: false });
  }
  const states = await readdir(join(person.home, ".local/state/keeplight/backups"));
  // Each is of an account and a network.
  const accounts = [person.address, other.address].map((address) => address.toLowerCase());
  expect(states.map((name) => name.replace(/-[0-9a-f]{8}$/, "")).sort()).toEqual(accounts.sort());
});

test("with --json, a service that cannot be reached is an event", async () => {
  const person = await rig().createPerson();
  await writeTree(person.cwd, { "data/a.txt": "a" });
  await person.events(["bulk", "plan", "data"]);
  // A port that nobody may listen on.
  const child = person.start(["bulk", "run", "data.plan", "--json"], {
    env: { KEEPLIGHT_UPLOAD_URL: "http://127.0.0.1:9" },
  });
  const ended = finish(child);
  child.stdout?.on("data", (text: string) => text.includes('"warning"') && child.kill("SIGINT"));
  const { code, stdout } = await ended;
  expect(code).toBe(130);
  expect(parseEvents(stdout)).toContainEqual(
    expect.objectContaining({
      event: "warning",
      message: expect.stringMatching(/^Network error: ECONNREFUSED: http:\/\/127\.0\.0\.1:9\//),
    }),
  );
});

test("a folder of the state that cannot be made is reported as such", async () => {
  const person = await rig().createPerson();
  await writeTree(person.cwd, { "data/a.txt": "a" });
  const file = join(person.home, "file");
  await writeFile(file, "");
  const path = join(file, "keeplight");
  for (const args of [["backup", "data"], ["prune"], ["up", "-e", "data"]]) {
    const events = await person.events(args, { code: 1, env: { XDG_STATE_HOME: file } });
    expect({ args, error: events.at(-1) }).toMatchObject({ args, error: { code: "CANNOT_WRITE", details: { path } } });
  }
});
