// Measures a drive of many entries: the processor time of opening it from the network and from a journal, and of a move with
// the version that follows it; and the size of what is stored.
// `npx tsx --conditions=keeplight-source bench/drive.ts [entries] [rounds]`.
import { pathToFileURL } from "node:url";
import { bundleBesidePackages } from "../test/support/bundle-script.ts";
import type { DriveFigures, DriveJob } from "./drive-process.ts";
import { judge, median } from "./judge.ts";
import { nextMessage, start } from "./processes.mjs";
import { createScratch } from "./scratch.mjs";

const entries = Number(process.argv[2] ?? 10_000);
const rounds = Number(process.argv[3] ?? 9);

const folder = createScratch();
const bundled = await Promise.all([
  bundleBesidePackages(new URL("./devnet-process.ts", import.meta.url)),
  bundleBesidePackages(new URL("./drive-process.ts", import.meta.url)),
]);
const [devnetScript, driveScript] = bundled.map((path) => pathToFileURL(path)) as [URL, URL];
const devnet = start(devnetScript);
try {
  const { endpoints } = (await nextMessage(devnet)) as Pick<DriveJob, "endpoints">;
  const job: DriveJob = { endpoints, folder, entries, rounds };
  const { times, versionBytes } = (await nextMessage(start(driveScript, job))) as DriveFigures;

  const sorted = Object.entries(times).map(([name, each]) => [name, each.toSorted((a, b) => a - b)] as const);
  const middle = new Map(sorted.map(([name, each]) => [name, median(each)]));
  console.log(`${entries} entries, milliseconds of the processor:`);
  console.table(
    Object.fromEntries(
      sorted.map(([name, each]) => [
        name,
        {
          median: Math.round(median(each)),
          first: Math.round(times[name]?.[0] ?? 0),
          longest: Math.round(each.at(-1) ?? 0),
        },
      ]),
    ),
  );
  const get = (name: string) => middle.get(name) ?? Number.NaN;
  judge("drive: opening from the network, processor ms", get("open from the network"), 1_000, "at most");
  judge("drive: opening from the journal, processor ms", get("open from the journal"), 1_000, "at most");
  const move = get("move: the call") + get("move: the version after it");
  judge("drive: a move and the version after it, processor ms", move, 50, "at most");
  judge("drive: size of a version, MB", versionBytes / 1e6, 3, "at most");
} finally {
  devnet.kill();
}
