import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { Endpoints, Pacing } from "../../src/index.ts";
import { bundleScript } from "../support/bundle-script.ts";

/** The kinds of owner calls that are killed. */
export const killedCalls = ["share", "revoke", "conditions", "transfer", "repair"] as const;

/** How a killed process calls the key nodes. */
export interface Pace {
  pauseMs: number;
  pacing?: Pacing;
}

/** One node after another with these pauses in milliseconds, and all nodes at once. */
export const paces = {
  slow: { pauseMs: 1_000 },
  quick: { pauseMs: 20 },
  unpaced: { pauseMs: 0 },
  parallel: { pauseMs: 0, pacing: "parallel" },
} as const satisfies Record<string, Pace>;

/** A time limit that no request exceeds on a busy machine either, in milliseconds: many children run at once. */
export const BUSY_TIMEOUT_MS = 120_000;

/** What a child process does. */
type ChildWork =
  | { kind: "upload"; source: string; kit: { recovery: string; recoveryTo: string } }
  | { kind: "folder"; source: string }
  | { kind: "resume" }
  | { kind: (typeof killedCalls)[number]; cid: string; friend: string };

/** Work of a child process, and what it requires. */
export interface ChildJob {
  /** Its folder. */
  journal: string;
  work: ChildWork;
  apiKey: string;
  privateKey: string;
  endpoints: Endpoints;
  pace: Pace;
}

/** Bundles the script of the child process; returns its path. */
export const bundleChild = (folder: string) => bundleScript(folder, new URL("./in-child.ts", import.meta.url));

/** Starts the child process. */
export function forkChild(script: string): ChildProcess {
  return fork(script, { stdio: ["ignore", "ignore", "inherit", "ipc"], execArgv: [], serialization: "advanced" });
}

/** How a child process ended. */
export interface ChildEnd {
  /** Whether it was killed before it was done. */
  isKilled: boolean;
  result: unknown;
  /** How long it worked, in milliseconds. */
  ranMs: number;
}

/** Runs a job in a child process and kills that `killAfterMs` after the work has started; never, if it is infinite. */
export async function runAndKill(child: ChildProcess, job: ChildJob, killAfterMs: number): Promise<ChildEnd> {
  const exited = once(child, "exit");
  let end: { result: unknown } | undefined;
  const started = new Promise<number>((resolve) => {
    child.on("message", (message: "started" | { result: unknown }) => {
      if (message === "started") resolve(performance.now());
      else end = message;
    });
  });
  child.send(job);
  const startedAt = await Promise.race([started, exited.then(() => performance.now())]);
  const timer = Number.isFinite(killAfterMs) ? setTimeout(() => child.kill("SIGKILL"), killAfterMs) : undefined;
  await exited;
  clearTimeout(timer);
  return { isKilled: end === undefined, result: end?.result, ranMs: performance.now() - startedAt };
}
