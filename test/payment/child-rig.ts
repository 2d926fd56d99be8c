import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { PaymentNetwork, PaymentToken } from "../../src/base/config/networks.ts";
import { bundleScript } from "../support/bundle-script.ts";

/** What a child process is to pay. */
export interface ChildPayment {
  /** Of its journal. */
  folder: string;
  network: PaymentNetwork;
  token: PaymentToken;
  amount: number;
  privateKey: string;
  orderId: string;
}

/** How its payment ended. */
export interface ChildReport {
  hash?: string;
  error?: string;
}

/** Creates a folder that is removed at the end of the test. */
export async function createFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "keeplight-orders-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Bundles the script of the child processes; returns its path. */
export function bundlePayments(folder: string): Promise<string> {
  return bundleScript(folder, new URL("./pay-in-child.ts", import.meta.url));
}

/** Starts a process that pays; resolves to it when it has loaded its code and starts. */
async function startChild(script: string, payment: ChildPayment): Promise<ChildProcess> {
  const child = fork(script, { stdio: ["ignore", "ignore", "inherit", "ipc"], execArgv: [] });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.send(payment);
  await once(child, "message");
  return child;
}

/** Pays in a process of its own. */
export async function payInChild(script: string, payment: ChildPayment): Promise<ChildReport> {
  const child = await startChild(script, payment);
  const [report] = (await once(child, "message")) as [ChildReport];
  await once(child, "exit");
  return report;
}

/** Pays in a process that is killed after so many milliseconds, unless it has ended before. Returns whether it was. */
export async function payAndKill(script: string, payment: ChildPayment, killAfterMs: number): Promise<boolean> {
  const child = await startChild(script, payment);
  const ended = once(child, "exit");
  const timer = setTimeout(() => child.kill("SIGKILL"), killAfterMs);
  const [, signal] = (await ended) as [number | null, string | null];
  clearTimeout(timer);
  return signal === "SIGKILL";
}
