import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventually } from "../../../test/support/eventually.ts";
import { finish, parseEvents, rigForTests } from "./rig.ts";

// What appears at the place of a download while it is received.

const rig = rigForTests();

const isTemporary = (name: string) => name.endsWith(".part");

test("get and decrypt replace no file that appears meanwhile, except with --force, and lose no download", async () => {
  const person = await rig().createPerson();
  await writeFile(join(person.cwd, "source"), "downloaded");
  const upload = async (...args: string[]) => {
    const events = await person.events(["up", "source", ...args]);
    return String(events.find(({ event }) => event === "item")?.["cid"]);
  };
  const commands = { get: await upload(), decrypt: await upload("-e") };

  /** Runs a command while another program writes the same file, and the one with a number. */
  async function run(command: keyof typeof commands, ...more: string[]) {
    const folder = join(person.cwd, command + more.join(""));
    await mkdir(folder);
    const action = { kind: "delay", ms: 700 } as const;
    const stop = rig().devnet.faults.add({ service: "gateway", path: /baf/, action } as never);
    const ended = finish(person.start([command, commands[command], "-o", `${folder}/out.txt`, ...more, "--json"]));
    await eventually(async () => expect((await readdir(folder)).some(isTemporary)).toBe(true));
    for (const name of ["out.txt", "out (2).txt"]) await writeFile(join(folder, name), "mine");
    const { code, stdout } = await ended.finally(stop);
    const names = (await readdir(folder)).sort();
    const texts = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
    return {
      code,
      last: parseEvents(stdout).at(-1),
      files: Object.fromEntries(names.map((name, at) => [name, texts[at]])),
    };
  }

  for (const command of ["get", "decrypt"] as const) {
    const message = expect.stringMatching(/out\.txt exists already: .* saved as .*out \(3\)\.txt$/);
    expect(await run(command)).toEqual({
      code: 1,
      last: expect.objectContaining({ code: "FILE_EXISTS", message }),
      files: { "out.txt": "mine", "out (2).txt": "mine", "out (3).txt": "downloaded" },
    });
    expect(await run(command, "--force")).toMatchObject({
      code: 0,
      last: { path: expect.stringMatching(/out\.txt$/), size: 10 },
      files: { "out.txt": "downloaded", "out (2).txt": "mine" },
    });
  }
  const saved = await person.events(["get", commands.get, "-o", "free.txt"]);
  expect(saved.at(-1)).toMatchObject({ path: join(person.cwd, "free.txt"), size: 10 });
  expect(await readFile(join(person.cwd, "free.txt"), "utf8")).toBe("downloaded");
  const refused = await person.events(["get", commands.get, "-o", "none/free.txt"], { code: 1 });
  const message = expect.stringContaining(join(person.cwd, "none/free.txt"));
  expect(refused.at(-1)).toMatchObject({ code: "CANNOT_WRITE", message });
  expect((await readdir(person.cwd)).some(isTemporary)).toBe(false);
});

test("kit make replaces no kit that appears meanwhile, and loses none of the keys", async () => {
  const person = await rig().createPerson();
  await writeFile(join(person.cwd, "source"), "secret");
  const sent = await person.events(["up", "source", "-e"]);
  const cid = String(sent.find(({ event }) => event === "item")?.["cid"]);
  const folder = join(person.cwd, "kits");
  await mkdir(folder);
  const env = { KEEPLIGHT_PASSWORD: "many words" };
  const action = { kind: "delay", ms: 700 } as const;
  const stop = rig().devnet.faults.add({ service: "keyNodes", path: new RegExp(cid), action } as never);
  const ended = finish(person.start(["kit", "make", "kits/kit.age", cid, "--json"], { env }));
  await eventually(async () => expect((await readdir(folder)).some(isTemporary)).toBe(true));
  await writeFile(join(folder, "kit.age"), "older keys");
  const { code, stdout } = await ended.finally(stop);
  const message = expect.stringMatching(/kit\.age exists already: .* saved as .*kit \(2\)\.age$/);
  expect({ code, last: parseEvents(stdout).at(-1) }).toMatchObject({ code: 1, last: { code: "FILE_EXISTS", message } });
  expect(await readFile(join(folder, "kit.age"), "utf8")).toBe("older keys");
  expect((await readdir(folder)).sort()).toEqual(["kit (2).age", "kit.age"]);
  expect(await person.events(["kit", "open", "kits/kit (2).age"], { env })).toMatchObject([{ cid }, { count: 1 }]);
});
