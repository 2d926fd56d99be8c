// @ts-check
// Measures a download from a gateway that limits each connection, beside one stream of it.
// usage: node bench/slow-download.mjs [MiB] [MiB per second and connection]
import { createHash } from "node:crypto";
import { once } from "node:events";
import { request } from "node:http";
import { download } from "keeplight";
import { ensureBuilt } from "./package-build.mjs";
import { killAll, nextMessage, start } from "./processes.mjs";
import { createScratch } from "./scratch.mjs";

const MIB = 1024 * 1024;
const [mib = 128, rate = 10] = process.argv.slice(2).map(Number);

await ensureBuilt();
const settings = { bytes: mib * MIB, folder: createScratch(), bytesPerSecond: rate * MIB };
const storing = start(new URL("./stored-file.mjs", import.meta.url), settings);
const { gateway, cid, sha256 } = /** @type {import("./stored-file.mjs").StoredFile} */ (await nextMessage(storing));

const single = await measure(async () => {
  const [response] = await once(request(`${gateway}/api/v0/cat/${cid}`, { method: "POST" }).end(), "response");
  const hash = createHash("sha256");
  for await (const chunk of response) hash.update(chunk);
  return hash.digest("hex");
});
const ours = await measure(async () => {
  const bytes = await download(cid, { endpoints: { gateway } });
  return createHash("sha256").update(bytes).digest("hex");
});
const times = `one stream ${single.toFixed(2)} s, download ${ours.toFixed(2)} s`;
console.log(`${mib} MiB at ${rate} MiB/s for each connection: ${times}, ${(single / ours).toFixed(1)} times as fast`);
killAll();

/**
 * Returns how long it takes, in seconds.
 *
 * @param {() => Promise<string>} run returns the SHA-256 of what it received
 */
async function measure(run) {
  const started = performance.now();
  const got = await run();
  if (got !== sha256) throw new Error("it received other bytes");
  return (performance.now() - started) / 1000;
}
