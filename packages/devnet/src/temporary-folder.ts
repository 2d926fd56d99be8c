import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { makeOwnedFolder, removeAbandoned } from "./content/owned-folder.ts";

/** A folder that is removed at the end of its process at the latest. */
export interface TemporaryFolder {
  path: string;
  remove(): Promise<void>;
}

const PREFIX = "keeplight-devnet-";

/** Waits for standard input to end, which happens however the process that owns the folder ends. */
const KEEPER = 'read -r _; rm -rf -- "$1"';

/** Creates an empty folder among the system's temporary ones, and removes those of killed processes. */
export async function makeTemporaryFolder(): Promise<TemporaryFolder> {
  const parent = resolve(tmpdir());
  await removeAbandoned(parent, PREFIX);
  const path = await makeOwnedFolder(parent, PREFIX);
  const endKeeper = startKeeper(path);
  return {
    path,
    async remove() {
      await rm(path, { recursive: true, force: true });
      await endKeeper();
    },
  };
}

/**
 * Starts a small process that removes the folder when this process ends. A signal listener could not: it would suppress
 * the signal's default effect, and could not know whether other listeners are going to end the process. The keeper runs
 * in its own session, so that a terminal's Ctrl-C does not reach it. Without a shell, the next devnet removes the folder.
 */
function startKeeper(path: string): () => Promise<void> {
  const keeper = spawn("/bin/sh", ["-c", KEEPER, "sh", path], {
    detached: true,
    cwd: "/",
    stdio: ["pipe", "ignore", "ignore"],
  });
  const ended = once(keeper, "close").catch(() => {});
  keeper.stdin.on("error", () => {});
  keeper.unref();
  return async () => {
    keeper.ref();
    keeper.stdin.end();
    await ended;
  };
}
