// @ts-check
// Measures how long `keeplight --help` takes, beside a Node that does nothing.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { ensureBuilt } from "./package-build.mjs";

const RUNS = 30;
const LIMIT_MS = 80;
const cli = fileURLToPath(new URL("../packages/cli/bin.js", import.meta.url));

/** @param {readonly string[]} args */
function measure(args) {
  const times = Array.from({ length: RUNS }, () => {
    const started = performance.now();
    const { status } = spawnSync(process.execPath, args, { stdio: "ignore" });
    if (status !== 0) throw new Error(`${args.join(" ")} ended with exit code ${status}`);
    return performance.now() - started;
  });
  return times.sort((a, b) => a - b)[Math.floor(RUNS / 2)] ?? Number.NaN;
}

await ensureBuilt();
const empty = measure(["--eval", "0"]);
const help = measure([cli, "--help"]);
console.log(
  `keeplight --help: ${help.toFixed(0)} ms, at most ${LIMIT_MS}; an empty Node program: ${empty.toFixed(0)} ms`,
);
process.exitCode = help > LIMIT_MS ? 1 : 0;
