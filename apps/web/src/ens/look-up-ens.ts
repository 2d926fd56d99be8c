import type { EnsNetwork } from "../network.ts";
import { EnsError, type EnsProblem } from "./ens-name.ts";
import type { ResolvedName } from "./resolve-ens.ts";

/** The result of looking up an ENS name. */
export type EnsResult = ({ status: "found" } & ResolvedName) | { status: "failed"; problem: EnsProblem };

/** Looks up an ENS name, by code that the first name loads. */
export async function lookUpEns(
  text: string,
  network: EnsNetwork | undefined,
  signal: AbortSignal,
): Promise<EnsResult> {
  try {
    const { resolveEns } = await import("./resolve-ens.ts");
    return { status: "found", ...(await resolveEns(text, network, signal)) };
  } catch (error) {
    return { status: "failed", problem: error instanceof EnsError ? error.problem : "unavailable" };
  }
}
