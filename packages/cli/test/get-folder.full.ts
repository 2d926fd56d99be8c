import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { writeTree } from "../../../test/support/files.ts";
import { finish, rigForTests } from "./rig.ts";

// A folder of encrypted files is fetched by a command that is killed with -9 again and again, and run again.
// FILES=20000 KILLS=20 KILL_MS=10000 npx vitest run --config vitest.full.config.ts packages/cli/test/get-folder

const FILES = Number(process.env["FILES"] ?? 250);
const KILLS = Number(process.env["KILLS"] ?? 3);
const KILL_MS = Number(process.env["KILL_MS"] ?? 2_500);

const rig = rigForTests();

/** Reads the hashes of all files of a folder, by their paths. */
async function hashTree(folder: string): Promise<Map<string, string>> {
  const tree = new Map<string, string>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    tree.set(
      path.slice(folder.length),
      createHash("sha256")
        .update(await readFile(path))
        .digest("hex"),
    );
  }
  return tree;
}

/** Leaves a temporary file in a folder, as a command does that was killed when all files of the folder were there. */
async function leaveTemporary(folder: string): Promise<void> {
  const program = `import { createTemporaryPath } from "keeplight/parts/node";
    console.log(createTemporaryPath(process.argv[1]));`;
  const args = ["--input-type=module", "-e", program, folder];
  const { stdout } = spawnSync(process.execPath, args, { cwd: import.meta.dirname, encoding: "utf8" });
  // On a busy machine no command may have come that far.
  await mkdir(folder, { recursive: true });
  await writeFile(stdout.trim(), "half of a file");
}

test(
  `${FILES} encrypted files come back as the tree that they were, although the command is killed`,
  async () => {
    const person = await rig().createPerson();
    const toPath = (at: number) => `films/${at % 7}/${at % 40}/f${at}.txt`;
    const paths = Array.from({ length: FILES }, (_, at) => toPath(at));
    await writeTree(person.cwd, Object.fromEntries(paths.map((path, at) => [path, `${at} `.repeat(at % 900)])));
    const uploaded = await person.events(["up", "-e", "--visible-names", "films"]);
    const cid = String(uploaded.find(({ event, name }) => event === "item" && name === "films")?.["cid"]);
    const get = ["get", "-r", cid, "-o", "to"];

    const startedAt = performance.now();
    let kills = 0;
    for (let isKilled = true; isKilled && kills < KILLS; ) {
      const child = person.start(get);
      const ended = finish(child);
      isKilled = (await Promise.race([ended, setTimeout(KILL_MS, "kill")])) === "kill";
      if (!isKilled) break;
      child.kill("SIGKILL");
      await ended;
      kills++;
    }
    await leaveTemporary(join(person.cwd, "to", "0"));
    const result = (await person.events(get)).at(-1);
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    console.log(`${FILES} files, ${kills} kills, ${result?.["written"]} fetched by the last run, ${seconds} s`);
    expect(kills).toBeGreaterThan(0);
    expect(result).toMatchObject({ files: FILES });
    expect(await hashTree(join(person.cwd, "to"))).toEqual(await hashTree(join(person.cwd, "films")));
  },
  Math.max(1_200_000, FILES * 200),
);
