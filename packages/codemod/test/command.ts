import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type Ended, finish } from "../../cli/test/rig.ts";

const loader = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));

/** Runs the command in a folder. */
export function runCodemod(cwd: string, ...args: readonly string[]): Promise<Ended> {
  const env = { PATH: process.env["PATH"] ?? "", HOME: cwd };
  return finish(spawn(process.execPath, ["--import", loader, main, ...args], { cwd, env }));
}
