import { join } from "node:path";
import { expect, test } from "vitest";
import { writeTree } from "../../../test/support/files.ts";
import { rigForTests } from "./rig.ts";

const rig = rigForTests();

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
  const planned = await person.events(["bulk", "plan", person.home, "--to", "home.plan"]);
  const leftOut = { path: ".local/state/keeplight", code: "INVALID_SOURCE" };
  expect(planned.filter(({ event }) => event === "item")).toMatchObject([leftOut]);
  expect(planned.at(-1)).toMatchObject({ event: "result", files: 1 });
});
