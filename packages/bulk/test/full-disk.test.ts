import { fork } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { bundleBesidePackages } from "../../../test/support/bundle-script.ts";
import { failure } from "../../../test/support/failure.ts";
import { scratch } from "../../../test/support/files.ts";
import { openBulkLedger } from "../src/index.ts";
import { openLevelLedger } from "../src/ledger/level-ledger.ts";
import type { FullDiskJob, FullDiskReport } from "./full-disk-in-child.ts";

const FILES = 200;
const BATCHES = 6;

let script: string;
beforeAll(async () => {
  script = await bundleBesidePackages(new URL("./full-disk-in-child.ts", import.meta.url));
});
afterAll(() => rm(dirname(script), { recursive: true, force: true }));

// Only Linux can limit what a process writes that is already running.
test.skipIf(process.platform !== "linux")(
  "a ledger whose disk was full refuses further changes until it is opened again, and has all that it confirmed",
  async () => {
    const folder = join(await scratch(), "ledger");
    const plan = "0".repeat(32);
    const ledger = await openLevelLedger(folder);
    const facts = { id: plan, name: "data", folder: "/plan", place: "/data", encrypted: false };
    const counts = { files: FILES * BATCHES, bytes: FILES * BATCHES, bytesToSend: FILES * BATCHES, batches: BATCHES };
    await ledger.addPlan({ ...facts, ...counts });
    for (let batch = 0; batch < BATCHES; batch++) {
      const files = Array.from({ length: FILES }, (_, at) => ({ path: `${batch}/${at}`.padEnd(100, "x"), size: 1 }));
      await ledger.addBatch(plan, batch, files);
    }
    await ledger.close();

    const child = fork(script, { stdio: ["ignore", "ignore", "inherit", "ipc"], execArgv: [] });
    onTestFinished(() => void child.kill("SIGKILL"));
    child.send({ folder, plan, batches: BATCHES } satisfies FullDiskJob);
    const [[during], [after]] = [await once(child, "message"), await once(child, "message")] as [
      [FullDiskReport],
      [FullDiskReport],
    ];
    const refused = during.filter((each) => typeof each === "string");
    expect([refused.length > 0, refused.length < BATCHES]).toEqual([true, true]);
    for (const each of refused) {
      expect(each).toBe(
        `CANNOT_WRITE Could not write: ${folder} (EFBIG): close the ledger and open it again, once that is mended`,
      );
    }
    expect(new Set(after)).toEqual(new Set(refused));

    child.kill("SIGKILL");
    await once(child, "exit");
    const reopened = await openLevelLedger(folder);
    for (const [batch, changed] of during.entries()) {
      const sent = (await reopened.read(plan, batch)).filter(({ status }) => status === "sent");
      expect(sent).toHaveLength(typeof changed === "number" ? changed : 0);
    }
    await reopened.close();
  },
);

test.skipIf(process.platform === "win32")(
  "nobody else can read a ledger in a folder that was there before",
  async () => {
    const folder = await scratch();
    await chmod(folder, 0o755);
    const ledger = await openBulkLedger(folder);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    await ledger.close();
  },
);

test("a ledger that cannot be opened says why", async () => {
  const folder = await scratch();
  await mkdir(join(folder, "LOCK"));
  const error = await failure(openBulkLedger(folder));
  expect(error).toMatchObject({ code: "CANNOT_WRITE", message: `Could not write: ${folder} (LEVEL_IO_ERROR)` });
});
