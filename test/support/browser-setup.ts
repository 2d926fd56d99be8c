import type { TestProject } from "vitest/node";
import type { Endpoints } from "../../src/config/endpoints.ts";
import type { PaymentNetwork } from "../../src/config/networks.ts";
import { type Account, startDevnet } from "../../src/devnet/index.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** The devnet that all pages share: `inject("devnet")`, in the browser project only. */
    devnet: { endpoints: Endpoints; accounts: readonly Account[]; network: PaymentNetwork };
  }
}

/** Starts one devnet for all pages, and stops it after the last page. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { endpoints, accounts, chain, close } = await startDevnet({ chain: true, pageSize: 20 });
  if (!chain) throw new Error("the devnet has no chain");
  project.provide("devnet", { endpoints, accounts, network: chain.network });
  return close;
}
