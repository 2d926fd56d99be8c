import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { rigForTests } from "./rig.ts";

const rig = rigForTests();
const WARNING = "Nothing proves that these bytes are those of the content id";

test("bytes that nothing proves are neither saved nor printed, except with --unverified and a warning", async () => {
  const person = await rig().createPerson();
  await writeFile(join(person.cwd, "long.txt"), "long ".repeat(80_000));
  const upload = async (...args: string[]) => {
    const events = await person.events(["up", ...args, "long.txt"]);
    return String(events.find(({ event }) => event === "item")?.["cid"]);
  };
  const [open, secret] = [await upload(), await upload("-e")];
  const { attacks } = rig().devnet;
  onTestFinished(attacks.add({ kind: "refuse-blocks" }));
  const change = (bytes: Uint8Array) => bytes.with(0, (bytes[0] ?? 0) ^ 1);
  onTestFinished(attacks.add({ kind: "tamper-content", cid: open, change }));

  for (const output of ["-", "got"]) {
    const { code, stdout, stderr } = await person.run(["get", open, "-o", output]);
    expect([code, stdout, existsSync(join(person.cwd, "got"))]).toEqual([1, "", false]);
    expect(stderr).toContain("Nothing proves that the bytes are those of");
  }
  for (const [command, cid] of [
    ["get", open],
    ["decrypt", secret],
  ] as const) {
    for (const output of ["-", `${command}-saved`]) {
      const { code, stdout, stderr } = await person.run([command, cid, "-o", output, "--unverified"]);
      expect([code, stderr.includes(WARNING)]).toEqual([0, true]);
      if (output === "-") expect(stdout.slice(1, 11)).toBe("ong long l");
    }
  }
  const { stderr } = await person.run(["decrypt", secret, "-o", "-"]);
  expect(stderr).not.toContain(WARNING);
});
