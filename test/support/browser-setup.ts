import type { TestProject } from "vitest/node";
import type { Endpoints } from "../../src/config/endpoints.ts";
import { type Account, startDevnet } from "../../src/devnet/index.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** The devnet all pages share: `inject("devnet")`, in the browser project only. */
    devnet: { endpoints: Endpoints; accounts: readonly Account[] };
  }
}

/** Starts one devnet for all pages, and stops it after the last of them. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { endpoints, accounts, close } = await startDevnet();
  project.provide("devnet", { endpoints, accounts });
  return close;
}
