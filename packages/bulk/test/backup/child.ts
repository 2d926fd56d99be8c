import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { EndpointOptions } from "../../../../src/index.ts";

/** What a child process does: backs up, or restores a snapshot. */
export interface ChildJob {
  folder: string;
  state: string;
  /** Of the snapshot that is restored. */
  cid?: string;
  apiKey: string;
  privateKey: string;
  endpoints: EndpointOptions;
}

/** A child process that reports its progress, and its result at the end. */
export interface Child {
  process: ChildProcess;
  exited: Promise<unknown>;
  /** The content id of the snapshot, once it has ended by itself. */
  result(): string | undefined;
}

/** Starts a child process; `onProgress` receives how many files are done. */
export function startChild(script: string, job: ChildJob, onProgress: (files: number) => void): Child {
  const child = fork(script, { stdio: ["ignore", "ignore", "inherit", "ipc"], execArgv: [] });
  let cid: string | undefined;
  child.on("message", (message: { files: number } | { cid: string }) => {
    if ("cid" in message) cid = message.cid;
    else onProgress(message.files);
  });
  const exited = once(child, "exit");
  child.send(job);
  return { process: child, exited, result: () => cid };
}
