import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { writeTree } from "../../../test/support/files.ts";
import { type Person, rigForTests } from "./rig.ts";

// Patterns of files that up and backup leave out.

const rig = rigForTests();

let person: Person;
beforeAll(async () => {
  person = await rig().createPerson();
});

/** Lists the names of what would be uploaded. */
async function list(...args: string[]): Promise<string[]> {
  const events = await person.events(["up", "--dry-run", ...args]);
  return events.filter(({ event }) => event === "item").map(({ name }) => String(name));
}

test("patterns of .keeplightignore are UTF-8, and anything else is refused by up and backup", async () => {
  await writeTree(person.cwd, { "env/secret.env": "s", "env/open.txt": "o" });
  const place = join(person.cwd, "env/.keeplightignore");
  const patterns = "*.env\r\n.keeplightignore\r\n";
  const utf16 = Buffer.from(`\ufeff${patterns}`, "utf16le");
  for (const bytes of [utf16, utf16.subarray(2), Buffer.from(utf16).swap16(), Buffer.from("caf\u00e9*\n", "latin1")]) {
    await writeFile(place, bytes);
    for (const command of ["up", "backup"]) {
      for (const more of [[], ["--dry-run"]]) {
        const events = await person.events([command, "env", ...more], { code: 1 });
        expect(events).toMatchObject([{ code: "INVALID_FILE", message: expect.stringContaining("is not UTF-8") }]);
      }
    }
    expect((await person.run(["up", "env"])).stderr).toContain("Save it as UTF-8");
  }
  await writeFile(place, `\ufeff${patterns}`);
  expect(await list("env")).toEqual(["env/open.txt"]);
});

test("patterns match names in either form of Unicode", async () => {
  const [composed, split] = ["\u00fcber.txt", "u\u0308ber.txt"];
  await writeTree(person.cwd, { [`forms/${composed}`]: "1", [`forms/sub/${split}`]: "2", "forms/a.txt": "a" });
  for (const pattern of [composed, split]) {
    expect(await list("--exclude", pattern, "forms")).toEqual(["forms/a.txt"]);
    expect(await list("--include", pattern, "forms")).toHaveLength(2);
    await writeFile(join(person.cwd, "forms/.keeplightignore"), `${pattern}\n.keeplightignore\n`);
    expect(await list("forms")).toEqual(["forms/a.txt"]);
    const backup = await person.events(["backup", "forms", "--dry-run"]);
    expect(backup.at(-1)).toMatchObject({ files: 1 });
    await writeFile(join(person.cwd, "forms/.keeplightignore"), ".keeplightignore\n");
  }
});
