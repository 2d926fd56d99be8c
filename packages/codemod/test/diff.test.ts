import { spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { scratch } from "../../../test/support/files.ts";
import { formatDiff } from "../src/plan.ts";

test("equal texts have no difference", () => {
  expect(formatDiff("a", "one\n", "one\n")).toBe("");
});

test("git applies the patch", async () => {
  const folder = await scratch();
  const path = join(folder, "file.txt");
  const line = fc.constantFrom("a", "b", "c", "", "a long line");
  const text = fc.tuple(fc.array(line, { maxLength: 30 }), fc.boolean()).map(([lines, isEnded]) => {
    const joined = lines.join("\n");
    return isEnded && joined !== "" ? `${joined}\n` : joined;
  });
  await fc.assert(
    fc.asyncProperty(text, text, async (before, after) => {
      const patch = formatDiff("file.txt", before, after);
      if (before === after || before === "" || after === "") return;
      await writeFile(path, before);
      const { stderr } = spawnSync("git", ["apply", "--unidiff-zero", "-"], {
        cwd: folder,
        input: `${patch}\n`,
        encoding: "utf8",
      });
      expect(await readFile(path, "utf8"), `${patch}\n${stderr}`).toBe(after);
    }),
    { numRuns: 40 },
  );
});
