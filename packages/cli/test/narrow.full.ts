import { expect, test } from "vitest";
import { writeTree } from "../../../test/support/files.ts";
import { rigForTests } from "./rig.ts";

const rig = rigForTests();

test.each([1, 20])("a terminal of %i columns shows bars and tables, and crashes nothing", async (columns) => {
  const person = await rig().createPerson();
  await writeTree(person.cwd, { "photographs of the year.jpg": "x".repeat(5_000_000) });
  const sent = await person.terminal(["up", "-e", "photographs of the year.jpg"], { columns });
  expect(sent).toMatchObject({ code: 0, output: expect.stringContaining("is stored") });
  const [cid = ""] = /baf\w+/.exec(sent.output) ?? [];
  for (const args of [
    ["ls"],
    ["info", cid],
    ["balance"],
    ["whoami"],
    ["health", cid],
    ["resume", "--list"],
    ["--help"],
  ]) {
    const { code, output } = await person.terminal(args, { columns });
    expect({ args, code, output }).toMatchObject({ args, code: 0 });
    expect(output).not.toMatch(/NaN|undefined|Infinity|RangeError/);
  }
  // Content ids are never cut.
  expect((await person.terminal(["ls"], { columns })).output).toContain(cid);
});
