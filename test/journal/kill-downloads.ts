import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import type { Endpoints } from "../../src/index.ts";
import { bundleScript } from "../support/bundle-script.ts";

/** A download that a child process runs. */
export interface DownloadJob {
  kind: "download" | "decrypt";
  cid: string;
  key: string;
  /** Its folder. */
  journal: string;
  to: string;
  endpoints: Pick<Endpoints, "gateway">;
}

/** How the child's call ended: with a saved file, or the code of its error. */
export type DownloadEnd = { size: number } | { code: string };

/** Bundles the script of the child process; returns its path. */
export const bundleDownload = (folder: string) =>
  bundleScript(folder, new URL("./download-in-child.ts", import.meta.url));

/** Starts a child process. */
export function forkDownload(script: string): ChildProcess {
  return fork(script, { stdio: ["ignore", "ignore", "inherit", "ipc"], execArgv: [] });
}

/** Starts a child process that can write no file of more than some 2 to 5 MB, as on a disk that is full. */
export function spawnOnFullDisk(script: string): ChildProcess {
  const line = `trap '' XFSZ; ulimit -f 5000; exec "$@"`;
  return spawn("sh", ["-c", line, "sh", process.execPath, script], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
}

/** Runs a job in a child process, and kills that when `moment` resolves; returns `undefined` if it was killed. */
export async function runDownload(
  child: ChildProcess,
  job: DownloadJob,
  moment: (started: Promise<void>) => Promise<unknown> = () => new Promise(() => undefined),
): Promise<DownloadEnd | undefined> {
  const exited = once(child, "exit");
  let end: DownloadEnd | undefined;
  const started = new Promise<void>((resolve) => {
    child.on("message", (message: "started" | DownloadEnd) => {
      if (message === "started") resolve();
      else end = message;
    });
  });
  child.send(job);
  void moment(started).then(() => child.kill("SIGKILL"));
  await exited;
  return end;
}
