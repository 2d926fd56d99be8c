// @ts-check
// Measures a file of 10 kB over a distance of 100 ms there and back: with the key nodes one after another, and at once.
// `npm run bench` runs it, too; alone: `node bench/round-trips.mjs`.
import { ensureBuilt } from "./package-build.mjs";
import { killAll, nextMessage, start } from "./processes.mjs";

const DELAY_MS = 50;
const ROUNDS = 9;
/** Each takes more than 4 seconds. */
const PACED_ROUNDS = 3;

/** Seconds, at most. */
const limits = { "encrypted upload": 0.4, decryption: 0.3, share: 0.15 };

/** How much longer than recovering its key the decryption of a file may take: deriving the key of the cipher. */
const LIMIT_BESIDE_KEY = 0.15;

process.on("exit", killAll);
await ensureBuilt();
const network = await nextMessage(start(new URL("./distant-network.mjs", import.meta.url), { delayMs: DELAY_MS }));
const client = start(new URL("./round-trips-client.mjs", import.meta.url), {
  .../** @type {object} */ (network),
  rounds: ROUNDS,
  pacedRounds: PACED_ROUNDS,
});
const { unpaced, paced } = /** @type {import("./round-trips-client.mjs").RoundTrips} */ (await nextMessage(client));

console.log(`\n10 kB over ${2 * DELAY_MS} ms, warm, no pauses, median of ${ROUNDS}:`);
for (const [operation, limit] of /** @type {[keyof typeof limits, number][]} */ (Object.entries(limits))) {
  const before = median(unpaced.sequential[operation]);
  const after = median(unpaced.parallel[operation]);
  judge(`${operation}: ${before.toFixed(2)} s one node after another, ${after.toFixed(2)} s at once`, after, limit);
}
const beside = median(paced.decryption) - median(paced.recovery);
const times = `${median(paced.recovery).toFixed(2)} s, decryption ${median(paced.decryption).toFixed(2)} s`;
judge(`with pauses of 1 s: key recovery ${times}, ${beside.toFixed(2)} s more`, beside, LIMIT_BESIDE_KEY);
// The network's process would keep this one alive.
killAll();

/**
 * Prints a figure with its goal.
 *
 * @param {string} text
 * @param {number} seconds
 * @param {number} limit
 */
function judge(text, seconds, limit) {
  const met = seconds <= limit;
  console.log(`${(met ? "met" : "MISSED").padEnd(12)}${text}; at most ${limit} s`);
  if (!met) process.exitCode = 1;
}

/**
 * @param {number[]} milliseconds
 * @returns {number} in seconds
 */
function median(milliseconds) {
  const sorted = [...milliseconds].sort((a, b) => a - b);
  return (sorted[Math.floor(sorted.length / 2)] ?? 0) / 1000;
}
