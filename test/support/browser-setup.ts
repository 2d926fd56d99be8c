import { existsSync } from "node:fs";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    devnet: unknown;
  }
}
const devnetEntry = new URL("../../src/devnet/index.ts", import.meta.url);

/** Starts one devnet that all pages share, and stops it after the last of them. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (!existsSync(devnetEntry)) return undefined;
  const entry = await import(devnetEntry.href).catch((error: unknown) => console.warn("no devnet yet", error));
  if (!entry) return undefined;
  const devnet = await entry.startDevnet();
  project.provide("devnet", { endpoints: devnet.endpoints, accounts: devnet.accounts });
  return () => devnet.close();
}
