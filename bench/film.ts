// Measures an encrypted film in Chromium, behind a relay of 100 ms per round trip: the time to the first picture and after a
// seek, what is fetched beyond what is read, and the memory of the page.
// `npx tsx --conditions=keeplight-source bench/film.ts [bytes] [seeks]`.

import { type FilmRig, openFilmRig } from "../apps/web/test/film-rig.ts";
import { chromiumHint, findChromium } from "../test/support/chromium.mjs";
import { judge, median } from "./judge.ts";

const MIB = 1024 * 1024;
const bytes = Number(process.argv[2] ?? 5 * 1024 * MIB);
const seeks = Number(process.argv[3] ?? 20);
const READS = 100;
/** Largest block of the devnet's files: no part of a block can be verified. */
const BLOCK_BYTES = 256 * 1024;
const HEADER_BYTES = 28;

/** Memory that the page's JavaScript holds, outside the heap too, in MiB. */
async function measureMemory({ page }: FilmRig): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const usage = await session.send("Runtime.getHeapUsage");
  await session.detach();
  const { usedSize, backingStorageSize = 0 } = usage as typeof usage & { backingStorageSize?: number };
  return (usedSize + backingStorageSize) / MIB;
}

async function measureFilm(rig: FilmRig): Promise<void> {
  const idleMiB = await measureMemory(rig);
  const first = await rig.call("play");
  judge("film: first picture, seconds", first.ms / 1000, 0.8, "at most");
  // What leads to the parts of the film is fetched once.
  for (let count = 0; count < seeks; count++) await rig.call("seek", Math.floor(Math.random() * rig.seconds));
  const times: number[] = [];
  for (let count = 0; count < seeks; count++) {
    const second = Math.floor(Math.random() * rig.seconds) + 0.5;
    times.push((await rig.call("seek", second)) / 1000);
  }
  times.sort((one, other) => one - other);
  console.log(`film: seeks, seconds: ${times.map((time) => time.toFixed(2)).join(" ")}`);
  judge("film: seek, seconds (median)", median(times), 0.4, "at most");
  judge("film: seek, seconds (slowest)", times.at(-1) ?? 0, 0.4, "at most");

  let peakMiB = 0;
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      peakMiB = Math.max(peakMiB, await measureMemory(rig));
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  })();
  for (let count = 0; count < seeks; count++) await rig.call("seek", Math.floor(Math.random() * rig.seconds));
  await rig.call("stop");

  // What was requested before is still on its way.
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  let blocks = 0;
  const before = rig.relay.countReceived();
  for (let count = 0; count < READS; count++) {
    const from = Math.floor(Math.random() * (rig.size - MIB));
    await rig.call("read", from, from + MIB);
    const firstBlock = Math.floor((from + HEADER_BYTES) / BLOCK_BYTES);
    blocks += Math.ceil((from + HEADER_BYTES + MIB) / BLOCK_BYTES) - firstBlock;
  }
  const received = rig.relay.countReceived() - before;
  console.log(`film: ${READS} reads of 1 MiB at random: received ${(received / MIB).toFixed(1)} MiB`);
  judge("film: received / blocks that contain 1 MiB at random", received / (blocks * BLOCK_BYTES), 1.05, "at most");
  isOver = true;
  await watching;
  console.log(`film: memory before it plays ${idleMiB.toFixed(1)} MiB, at most ${peakMiB.toFixed(1)} MiB`);
  judge("film: memory beyond that, MiB", peakMiB - idleMiB, 32, "at most");
}

const executablePath = await findChromium();
if (executablePath) {
  const rig = await openFilmRig(executablePath, bytes, 50);
  try {
    await measureFilm(rig);
  } finally {
    await rig.close();
  }
} else {
  console.log(`The film was not measured. ${chromiumHint()}`);
}
