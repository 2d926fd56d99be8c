import { fork } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type EndpointOptions, listFiles } from "../../../src/index.ts";
import { bundleBesidePackages } from "../../../test/support/bundle-script.ts";
import { account, devnetForTests } from "../../../test/support/devnet-wire.ts";
import { checkBackups, forgetSnapshots, listSnapshots, pruneBackups, restoreBackup } from "../src/index.ts";
import { changeTree, createDraw } from "./random-tree.ts";
import { prepareBackup, readTree } from "./rig.ts";

// Random trees are backed up by processes that are killed with -9 at random moments, the state is lost in half of the backups,
// and every snapshot is restored: `SNAPSHOTS=200 SEED=1 npx vitest run --config vitest.full.config.ts packages/backup`.

const SNAPSHOTS = Number(process.env["SNAPSHOTS"] ?? 6);
const SEED = Number(process.env["SEED"] ?? 1);
const KILLS = 2;

/** What a child process does. */
export interface ChildJob {
  kind: "backup" | "prune" | "restore";
  folder: string;
  state: string;
  /** Of the snapshot that is restored. */
  cid: string;
  apiKey: string;
  privateKey: string;
  endpoints: EndpointOptions;
}

const devnet = devnetForTests({ unkind: true });
let script: string;

beforeAll(async () => {
  script = await bundleBesidePackages(new URL("./in-child.ts", import.meta.url));
});
afterAll(() => rm(dirname(script), { recursive: true, force: true }));

/** Runs a job; kills its process after so many milliseconds. Returns the content id, if it has ended by itself. */
async function run(job: ChildJob, killAfterMs?: number): Promise<string | undefined> {
  const child = fork(script, { stdio: ["ignore", "ignore", "inherit", "ipc"], execArgv: [] });
  let cid: string | undefined;
  child.on("message", (message: { cid: string }) => {
    cid = message.cid;
  });
  const exited = once(child, "exit");
  child.send(job);
  if (killAfterMs !== undefined) void setTimeout(killAfterMs).then(() => child.kill("SIGKILL"));
  const [code] = await exited;
  if (killAfterMs === undefined) expect(code).toBe(0);
  return cid;
}

test(
  "every snapshot is restored as the tree was, whatever was killed or lost",
  async () => {
    const draw = createDraw(SEED);
    const { place, folder, options, reader } = await prepareBackup(devnet(), {});
    const { state, apiKey, endpoints } = options;
    const { privateKey } = account(devnet(), 0);
    const job: ChildJob = { kind: "backup", folder, state, cid: "", apiKey, privateKey, endpoints };
    const expected = new Map<string, Record<string, string>>();
    for (let at = 0; at < SNAPSHOTS; at++) {
      await changeTree(folder, draw, 25);
      if (draw(2) === 0) await rm(state, { recursive: true, force: true });
      for (let kill = 0; kill < KILLS; kill++) await run(job, 100 + draw(1_500));
      const cid = await run(job);
      const { fileList } = await listFiles({ apiKey, endpoints });
      const packs = fileList.filter(({ fileName }) => fileName?.endsWith(".pack")).map((file) => file.cid);
      // Nothing that was stored is stored again.
      expect(new Set(packs).size).toBe(packs.length);
      const { snapshots, unread } = await listSnapshots(accountOf(options));
      expect(unread).toEqual([]);
      expect(snapshots.some((each) => each.cid === cid)).toBe(true);
      expected.set(snapshots.find((each) => each.cid === cid)?.id ?? "", await readTree(folder));
      if (at % 5 === 4) await run({ ...job, kind: "prune" }, 100 + draw(1_500));
    }
    expect(await checkBackups(accountOf(options))).toMatchObject({ problems: [] });
    const half = Math.ceil(expected.size / 2);
    await forgetSnapshots({ ...accountOf(options), keep: { last: half } });
    for (let at = 0; at < 3; at++) await run({ ...job, kind: "prune" }, 100 + draw(1_500));
    await pruneBackups({ ...options, graceMs: 0 });
    await pruneBackups({ ...options, graceMs: 0 });
    expect(await checkBackups(accountOf(options))).toMatchObject({ problems: [] });
    const { snapshots } = await listSnapshots(accountOf(options));
    expect(snapshots.length).toBeGreaterThanOrEqual(Math.min(half, expected.size));
    for (const { id, cid } of snapshots) {
      const tree = expected.get(id);
      if (!tree) continue;
      const to = join(place, id);
      await run({ ...job, kind: "restore", folder: to, cid }, 100 + draw(1_000));
      await restoreBackup(cid, to, { ...reader, outsideLinks: true });
      const got = await readTree(to);
      const paths = [...new Set([...Object.keys(got), ...Object.keys(tree)])];
      expect(paths.filter((path) => got[path] !== tree[path]).map((path) => [path, got[path], tree[path]])).toEqual([]);
      await rm(to, { recursive: true });
    }
  },
  SNAPSHOTS * 60_000,
);

function accountOf({ state: _, ...options }: Awaited<ReturnType<typeof prepareBackup>>["options"]) {
  return options;
}
