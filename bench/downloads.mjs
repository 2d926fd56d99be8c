// @ts-check
// Measures downloads of a large file to memory (/dev/shm) and to a disk, beside curl, bare Node and the incumbent.
// usage: node bench/downloads.mjs [MiB] [rounds]
import { rmSync } from "node:fs";
import { join } from "node:path";
import { ensureBuilt } from "./package-build.mjs";
import { killAll, nextMessage, start } from "./processes.mjs";
import { createScratch } from "./scratch.mjs";

/** @typedef {import("./measure.cjs").Measurement} Measurement */

const MIB = 1024 * 1024;
const [mib = 1024, rounds = 3] = process.argv.slice(2).map(Number);

/** Programs by subject; the incumbent saves nothing, but returns the bytes. */
const programs = {
  curl: new URL("./download-subjects.mjs", import.meta.url),
  node: new URL("./download-subjects.mjs", import.meta.url),
  download: new URL("./download-subjects.mjs", import.meta.url),
  unverified: new URL("./download-subjects.mjs", import.meta.url),
  decrypt: new URL("./download-subjects.mjs", import.meta.url),
  incumbent: new URL("./incumbent.cjs", import.meta.url),
};
/** @typedef {keyof typeof programs} Subject */

/** @type {readonly { place: keyof typeof scratches, subject: Subject, of: Subject, atMost: number }[]} */
const bars = [
  { place: "memory", subject: "download", of: "curl", atMost: 1.5 },
  { place: "memory", subject: "unverified", of: "curl", atMost: 1.5 },
  { place: "memory", subject: "decrypt", of: "curl", atMost: 2.2 },
  { place: "memory", subject: "decrypt", of: "incumbent", atMost: 0.12 },
  { place: "disk", subject: "download", of: "node", atMost: 1.1 },
  { place: "disk", subject: "decrypt", of: "node", atMost: 1.1 },
];

const scratches = { memory: createScratch("/dev/shm"), disk: createScratch() };
await ensureBuilt();
const storing = start(new URL("./stored-file.mjs", import.meta.url), { bytes: mib * MIB, folder: scratches.disk });
const stored = /** @type {import("./stored-file.mjs").StoredFile} */ (await nextMessage(storing));

/** @returns {Promise<number>} seconds of CPU that the devnet has used */
async function readDevnetCpu() {
  storing.send("cpu?");
  return Number(await nextMessage(storing));
}

for (const [place, scratch] of Object.entries(scratches)) {
  const seconds = await measurePlace(place, join(scratch, "file"));
  for (const { place: at, subject, of, atMost } of bars) {
    if (at !== place) continue;
    const ratio = median(seconds[subject]) / median(seconds[of]);
    const best = Math.min(...seconds[subject]) / Math.min(...seconds[of]);
    const figures = `${place}: ${subject} / ${of}: ${ratio.toFixed(2)} (best ${best.toFixed(2)})`;
    console.log(`${(ratio <= atMost ? "met" : "MISSED").padEnd(12)}${figures}, at most ${atMost}`);
  }
}
killAll();

/**
 * Measures all subjects in turn, round after round.
 *
 * @param {string} place
 * @param {string} to
 */
async function measurePlace(place, to) {
  /** @type {Record<Subject, number[]>} */
  const seconds = { curl: [], node: [], download: [], unverified: [], decrypt: [], incumbent: [] };
  for (let round = 1; round <= rounds; round++) {
    for (const subject of /** @type {Subject[]} */ (Object.keys(programs))) {
      const isDecryption = subject === "decrypt" || subject === "incumbent";
      const { gateway: service, masterKey, sha256 } = stored;
      const operation = subject === "incumbent" ? "decrypt" : subject;
      const cid = isDecryption ? stored.encryptedCid : stored.cid;
      const before = await readDevnetCpu();
      const child = start(programs[subject], {
        operation,
        service,
        cid,
        masterKey,
        sha256,
        to,
      });
      const measured = /** @type {Measurement} */ (await nextMessage(child));
      const devnetCpu = (await readDevnetCpu()) - before;
      rmSync(to, { force: true });
      if (!measured.ok) throw new Error(`${subject} failed: ${measured.problem}`);
      seconds[subject].push(measured.seconds);
      const figures = `${measured.seconds.toFixed(2)} s, CPU ${measured.cpuSeconds.toFixed(2)} s`;
      console.log(`${place}, ${round} of ${rounds}, ${subject}: ${figures}, devnet ${devnetCpu.toFixed(2)} s`);
    }
  }
  return seconds;
}

/** @param {readonly number[]} values */
function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return ((sorted[(sorted.length - 1) >> 1] ?? 0) + (sorted[sorted.length >> 1] ?? 0)) / 2;
}
