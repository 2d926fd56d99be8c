// @ts-check
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** Builds the packages unless they are built. */
export async function ensureBuilt() {
  const script = new URL("../scripts/build.mjs", import.meta.url);
  // What a benchmark prints may be read by a program.
  const build = spawn(process.execPath, [fileURLToPath(script)], { stdio: ["ignore", process.stderr, "inherit"] });
  const [code] = await once(build, "exit");
  if (code !== 0) throw new Error("the packages could not be built");
}
