// @ts-check
import { spawnSync } from "node:child_process";

// Import rules of .dependency-cruiser.mjs, once for each runtime that `#platform` resolves to.
for (const RUNTIME of ["node", "browser"]) {
  const { status } = spawnSync("depcruise", ["src", "packages", "--config", ".dependency-cruiser.mjs"], {
    env: { ...process.env, RUNTIME },
    shell: true,
    stdio: "inherit",
  });
  if (status !== 0) process.exitCode = 1;
}
