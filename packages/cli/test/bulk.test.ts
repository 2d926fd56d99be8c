import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { deleteFile, listFiles } from "../../../src/index.ts";
import { writeTree } from "../../../test/support/files.ts";
import { type CliEvent, rigForTests } from "./rig.ts";
import { findUndocumented } from "./schema.ts";

const rig = rigForTests();

afterEach(() => rig().devnet.faults.clear());

/** Returns the result of a command, whose events are as documented. */
function getResult(command: string, events: readonly CliEvent[]): CliEvent | undefined {
  expect(findUndocumented(command, events)).toEqual([]);
  return events.at(-1);
}

test("a plan of a home folder leaves out what the command line keeps there", async () => {
  const person = await rig().createPerson();
  await writeTree(person.home, { "letter.txt": "a" });
  const env = {
    XDG_STATE_HOME: join(person.home, ".local", "state"),
    KEEPLIGHT_API_KEY: "",
    KEEPLIGHT_PASSWORD: "pass",
  };
  await person.events(["login"], { env });
  await person.events(["login", "--new", "--profile", "work"], { env });
  const planned = await person.events(["bulk", "plan", person.home, "--to", "home.plan"], { code: 2 });
  const leftOut = { path: ".local/state/keeplight", code: "INVALID_SOURCE" };
  expect(planned.filter(({ event }) => event === "item")).toMatchObject([leftOut]);
  expect(planned.at(-1)).toMatchObject({ event: "result", files: 1 });
});

test("a plan that is there already says of when it is, and that new files are not in it", async () => {
  const person = await rig().createPerson();
  await writeTree(person.cwd, { "data/a.txt": "a" });
  const first = getResult("bulk plan", await person.events(["bulk", "plan", "data"]));
  expect(first).toMatchObject({ files: 1, isNew: true, plannedAt: expect.any(Number) });
  await writeTree(person.cwd, { "data/b.txt": "b" });
  const events = await person.events(["bulk", "plan", "data"]);
  expect(getResult("bulk plan", events)).toEqual({ ...first, isNew: false });
  expect(events.find(({ event }) => event === "warning")?.["message"]).toMatch(/already: it is of 2.*--to$/);
  const other = await person.events(["bulk", "plan", "data", "--to", "other.plan"]);
  expect(getResult("bulk plan", other)).toMatchObject({ files: 2, isNew: true });
});

test("a run that sets files aside, and reading back files that are lost or unread, end with exit code 2", async () => {
  const person = await rig().createPerson();
  const { faults } = rig().devnet;
  await writeTree(person.cwd, { "data/a.txt": "a", "data/b.txt": "b" });
  await person.events(["bulk", "plan", "data"]);
  await rm(join(person.cwd, "data/b.txt"));
  await person.events(["bulk", "run", "data.plan", "--dry-run"]);
  const run = await person.events(["bulk", "run", "data.plan"], { code: 2 });
  expect(getResult("bulk run", run)).toMatchObject({ filesDone: 1, setAside: 1 });
  const verify = ["bulk", "verify", "data.plan"];
  expect((await person.events(verify)).at(-1)).toMatchObject({ verified: 1 });
  faults.add({ service: "gateway", action: { kind: "respond", status: 404 } });
  const unread = await person.events(verify, { code: 2 });
  expect(getResult("bulk verify", unread)).toMatchObject({ lost: 0, unread: 1 });
  const account = { apiKey: person.apiKey, endpoints: person.endpoints };
  for (const { id } of (await listFiles(account)).fileList) await deleteFile(id, account);
  const lost = await person.events(verify, { code: 2 });
  expect(getResult("bulk verify", lost)).toMatchObject({ lost: 1, unread: 0 });
  expect((await person.run(verify)).code).toBe(2);
});
