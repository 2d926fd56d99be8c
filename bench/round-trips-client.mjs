// @ts-check
// Measures operations on a small file over a distance, in a process of its own that is warm: signed in, and connected.
import { randomBytes } from "node:crypto";
import { Wallet } from "ethers";
import { createApiKey, createKit, decrypt, kavachRecoverShards } from "keeplight";

/** @typedef {"sequential" | "parallel"} Pacing */
/** @typedef {"encrypted upload" | "decryption" | "share"} Operation */
/** @typedef {Record<Operation, number[]>} Times in milliseconds */

/**
 * @typedef {object} RoundTrips
 * @property {Record<Pacing, Times>} unpaced without pauses
 * @property {{ recovery: number[], decryption: number[] }} paced with the pauses of the specification, in milliseconds
 */

const FILE_BYTES = 10_000;

/** @type {import("./distant-network.mjs").DistantNetwork & { rounds: number, pacedRounds: number }} */
const { endpoints, privateKey, rounds, pacedRounds } = JSON.parse(process.argv[2] ?? "{}");
process.on("disconnect", () => process.exit(1));

const signer = new Wallet(privateKey);
const apiKey = await createApiKey({ signer, endpoints });
const friend = Wallet.createRandom().address;

/**
 * @template Result
 * @param {number[]} times
 * @param {() => Promise<Result>} run
 */
async function measure(times, run) {
  const started = performance.now();
  const result = await run();
  times.push(performance.now() - started);
  return result;
}

/**
 * @param {Pacing} pacing
 * @param {Times} times
 * @returns {Promise<string>} the content id of what was uploaded
 */
async function runOnce(pacing, times) {
  const kit = createKit({ endpoints, apiKey, signer, pauseMs: 0, ...toOptions(pacing) });
  const bytes = randomBytes(FILE_BYTES);
  const [stored] = await measure(times["encrypted upload"], () => kit.uploadEncrypted(bytes));
  const decrypted = await measure(times.decryption, () => kit.decrypt(stored.Hash));
  if (Buffer.compare(decrypted, bytes) !== 0) throw new Error("the decrypted file is another one");
  const { nodes } = await measure(times.share, () => kit.kavachShare(stored.Hash, { shareTo: friend }));
  if (nodes.length !== 5) throw new Error("not all nodes have shared the file");
  return stored.Hash;
}

/**
 * Leaves out what is the default, so that versions without the option can be measured.
 *
 * @param {Pacing} pacing
 */
function toOptions(pacing) {
  return pacing === "parallel" ? { pacing } : {};
}

/** @returns {Times} */
const createTimes = () => ({ "encrypted upload": [], decryption: [], share: [] });

/** @type {RoundTrips} */
const result = {
  unpaced: { sequential: createTimes(), parallel: createTimes() },
  paced: { recovery: [], decryption: [] },
};
/** @type {readonly Pacing[]} */
const pacings = ["sequential", "parallel"];
let cid = "";
for (const pacing of pacings) cid = await runOnce(pacing, createTimes());
for (let round = 0; round < rounds; round++) {
  for (const pacing of pacings) cid = await runOnce(pacing, result.unpaced[pacing]);
}
for (let round = 0; round < pacedRounds; round++) {
  await measure(result.paced.recovery, () => kavachRecoverShards(cid, { endpoints, signer }));
  await measure(result.paced.decryption, () => decrypt(cid, { endpoints, signer }));
}
process.send?.(result, () => process.exit(0));
