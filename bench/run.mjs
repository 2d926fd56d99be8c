// @ts-check
// Measures keeplight beside the incumbent (@lighthouse-web3/sdk) against a service on this machine.
// This process only starts others and waits for them.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createCases, fullSize, quickSize } from "./cases.mjs";
import { ensureBuilt } from "./package-build.mjs";
import { killAll, nextMessage, start } from "./processes.mjs";
import { report } from "./report.mjs";
import { runCase } from "./run-case.mjs";
import { createScratch } from "./scratch.mjs";

const options = process.argv.slice(2);
if (options.some((option) => option !== "--quick")) {
  console.error("usage: npm run bench [-- --quick]");
  process.exit(2);
}
const size = options.includes("--quick") ? quickSize : fullSize;

const scratch = createScratch();

const creatingFixtures = nextMessage(start(new URL("./fixtures.mjs", import.meta.url), { ...size, scratch }));
await Promise.all([ensureBuilt(), creatingFixtures]);
const fixtures = /** @type {import("./fixtures.mjs").Fixtures} */ (await creatingFixtures);
const { ciphertext, keyShards, masterKey, sha256 } = fixtures;
const service = start(new URL("./service.mjs", import.meta.url), { ciphertext, keyShards });
const task = {
  .../** @type {{ service: string, cid: string }} */ (await nextMessage(service)),
  to: join(scratch, "decrypted.bin"),
  masterKey,
  sha256,
};

/** @type {import("./run-case.mjs").Result[]} */
const results = [];
for (const each of createCases(size, fixtures)) results.push(...(await runCase(each, { service, task })));

writeFileSync(new URL("./results.json", import.meta.url), `${JSON.stringify(results, null, 2)}\n`);
console.log(`\n${report(results, size)}`);
console.log(`\nwritten to ${fileURLToPath(new URL("./results.json", import.meta.url))}\n`);
process.exitCode = results.some(({ subject, ok }) => subject === "keeplight" && !ok) ? 1 : 0;
killAll();

const help = fileURLToPath(new URL("./cli-help.mjs", import.meta.url));
if (spawnSync(process.execPath, [help], { stdio: "inherit" }).status !== 0) process.exitCode = 1;

const roundTrips = fileURLToPath(new URL("./round-trips.mjs", import.meta.url));
if (spawnSync(process.execPath, [roundTrips], { stdio: "inherit" }).status !== 0) process.exitCode = 1;

for (const script of [new URL("./page.ts", import.meta.url), new URL("./film.ts", import.meta.url)]) {
  const args = ["--import=tsx", "--conditions=keeplight-source", fileURLToPath(script), `${size.bytes}`];
  const { status } = spawnSync(process.execPath, args, { stdio: "inherit" });
  if (status !== 0) process.exitCode = 1;
}

for (const script of [new URL("./web-app.ts", import.meta.url), new URL("./web-folders.ts", import.meta.url)]) {
  const args = ["--import=tsx", "--conditions=keeplight-source", fileURLToPath(script)];
  const { status } = spawnSync(process.execPath, args, { stdio: "inherit" });
  if (status !== 0) process.exitCode = 1;
}
