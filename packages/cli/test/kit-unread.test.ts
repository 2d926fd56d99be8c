import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createRecorder } from "../../../src/formats/recovery-file/recorder.ts";
import { createRecoveryIdentity, kavachGenerate } from "../../../src/index.ts";
import { rigForTests } from "./rig.ts";

const rig = rigForTests();

test("a recovery kit opens beside files that cannot be read, which are listed with exit code 1", async () => {
  const person = await rig().createPerson();
  const { identity, recipient } = await createRecoveryIdentity();
  const env = { KEEPLIGHT_IDENTITY: identity };
  await writeFile(join(person.cwd, "note.txt"), "a note");
  const [item] = await person.events(["up", "-e", "note.txt"]).then((events) => events.filter(({ cid }) => cid));
  const cid = String(item?.["cid"]);
  const folder = join(person.cwd, "kit");
  await mkdir(folder);
  await person.events(["kit", "make", "kit/key.age", cid, "--recipient", recipient]);
  // Sorted before the kit: a wrong key under another name, and two files that are no part of it.
  const recoveryTo = (message: Uint8Array) => writeFile(join(folder, "0.age"), message);
  const recorder = await createRecorder({ recovery: recipient, recoveryTo }, undefined);
  const { masterKey } = await kavachGenerate();
  await recorder.write([{ cid, name: "\u001b[2Jinvoice.exe", size: 7, masterKey }]);
  await writeFile(join(folder, "1.age"), "");
  await writeFile(join(folder, "2\u001b[2J.age"), "age-encryption.org/v1\n-> X25519 a\n");

  const events = await person.events(["kit", "open", "kit"], { env, code: 1 });
  expect(events.map(({ event }) => event)).toEqual(["warning", "warning", "item", "result"]);
  expect(events.at(-1)).toMatchObject({
    count: 1,
    unread: [
      { file: "kit/1.age", code: "CANNOT_DECRYPT" },
      { file: expect.stringMatching(/^kit\/2 ?\[2J\.age$/), code: "CANNOT_DECRYPT" },
    ],
  });
  const shown = await person.run(["kit", "open", "kit"], { env });
  expect([shown.code, shown.stderr.match(/Not read to its end: /g)?.length]).toEqual([1, 2]);
  expect(shown.stdout).toContain(cid);
  expect(shown.stdout + shown.stderr).not.toContain("\u001b[2J");

  const { stdout, stderr } = await person.run(["decrypt", cid, "--kit", "kit", "-o", "-"], { env });
  expect(stdout).toBe("a note");
  expect(stderr).toContain("Not read to its end: kit/1.age");
});
