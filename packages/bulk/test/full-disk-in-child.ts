import { execFile } from "node:child_process";
import { once } from "node:events";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { isKeeplightError } from "../../../src/index.ts";
import { openLevelLedger } from "../src/ledger/level-ledger.ts";

/** What the process writes to. */
export interface FullDiskJob {
  /** Of the ledger. */
  folder: string;
  plan: string;
  batches: number;
}

/** What became of changing each batch: how many rows were changed, or the code and the message of an error. */
export type FullDiskReport = (number | string)[];

/** Limits how large the files of this process may become, in bytes, or no longer. */
const limitFiles = (bytes: number | "unlimited") =>
  promisify(execFile)("prlimit", ["--pid", String(process.pid), `--fsize=${bytes}:unlimited`]);

// A process whose disk is full while it changes the rows of several batches, and has room again later. It lives on then.
process.once("message", async ({ folder, plan, batches }: FullDiskJob) => {
  const ledger = await openLevelLedger(folder);

  async function changeAll(): Promise<FullDiskReport> {
    const all = Array.from({ length: batches }, async (_, batch) => {
      const rows = await ledger.read(plan, batch);
      const found = rows.filter(({ status }) => status === "found");
      const changed = await ledger.change(
        plan,
        batch,
        found.map(({ index }) => ({ index, from: "found", to: "sent" })),
      );
      return changed?.length ?? 0;
    });
    return (await Promise.allSettled(all)).map((each) => {
      if (each.status === "fulfilled") return each.value;
      return isKeeplightError(each.reason) ? `${each.reason.code} ${each.reason.message}` : String(each.reason);
    });
  }

  const names = (await readdir(folder)).filter((name) => name.endsWith(".log"));
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  // Room for one batch, and a part of another one.
  await limitFiles(Math.max(...sizes) + 40_000);
  process.send?.(await changeAll());
  await limitFiles("unlimited");
  process.send?.(await changeAll());
  await once(process, "message");
});
