import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { makeOwnedFolder, removeAbandoned } from "./content/owned-folder.ts";

/** A folder that goes with its process, if not before. */
export interface TemporaryFolder {
  path: string;
  remove(): Promise<void>;
}

const PREFIX = "keeplight-devnet-";

/** Waits for standard input to end, which it does however the process that made the folder ends. */
const KEEPER = 'read -r _; rm -rf -- "$1"';

/** Makes an empty folder among the system's temporary ones, and removes those of processes that were killed. */
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
 * Has a small process of its own remove the folder when this one ends. A listener for signals could not: it would keep
 * the signal from its effect, and could not tell whether other listeners mean to end the process. A session of its own
 * keeps a terminal's Ctrl-C from the keeper. Where there is no shell, the next devnet to start does the removing.
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
