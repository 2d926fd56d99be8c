import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { PaymentNetwork, PaymentToken } from "../../../src/base/config/networks.ts";
import type { JournalUnlock } from "../../../src/index.ts";
import type { BulkUploadOptions } from "../src/index.ts";
import type { EngineName } from "./engines.ts";

/** A bucket of a server on this machine. */
export interface ChildBucket {
  endpoint: string;
  accessKeyId: string;
  secretAccessKey: string;
}

/** What a child process works on. */
export interface ChildJob {
  engine: EngineName;
  /** Of the plan. */
  folder: string;
  connection: string;
  ledgerPlace: string;
  upload: BulkUploadOptions;
  /** Where the files are, unless they are in a folder: one process plans them, too. */
  bucket?: ChildBucket;
  /** Of the owner of encrypted files. */
  privateKey?: string;
  unlock?: JournalUnlock;
}

/** What a child process pays for. */
export interface PlanPayment {
  /** Of the plan. */
  folder: string;
  journalFolder: string;
  ledgerPlace: string;
  network: PaymentNetwork;
  token: PaymentToken;
  privateKey: string;
}

/** A child process that works, until it is killed or done. */
export interface Child {
  process: ChildProcess;
  exited: Promise<unknown>;
}

/** Starts a child process; `onMemory` receives its resident memory, in bytes, now and then. */
export function startChild(script: string, job: ChildJob, onMemory: (rss: number) => void): Child {
  const child = fork(script, { stdio: ["ignore", "ignore", "inherit", "ipc"], execArgv: [] });
  const exited = once(child, "exit");
  child.on("message", ({ rss }: { rss: number }) => onMemory(rss));
  child.send(job);
  return { process: child, exited };
}
