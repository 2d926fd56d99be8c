import type { CallOptions, ChainTypeOption, ConditionOf, Json } from "keeplight";
import {
  callSchema,
  copyInput,
  invalidOption,
  json,
  type OptionSchema,
  resolveOptions,
  unchecked,
} from "keeplight/parts";
import type { Simulation } from "./evaluate.ts";

/** Options of {@link simulateConditions}. */
export type SimulateOptions<Chain extends ChainTypeOption> = Pick<CallOptions, "signal" | "timeoutMs"> & {
  /** JSON-RPC URL of the one chain that the conditions name, or one URL per chain by its name there, in any case. */
  rpc: string | Readonly<Record<string, string>>;
  /** Values of the other `:name`s in parameters, by name. @default none */
  dynamicData?: Readonly<Record<string, Json>> | undefined;
  /** The chain type of the conditions; only `EVM` is evaluated. @default `EVM` */
  chainType?: Chain;
};

const schema = {
  signal: callSchema.signal,
  timeoutMs: callSchema.timeoutMs,
  rpc: resolveRpc,
  dynamicData: json<Readonly<Record<string, Json>>>(),
  chainType: unchecked<ChainTypeOption>(),
} satisfies OptionSchema<SimulateOptions<ChainTypeOption>>;

/**
 * Evaluates EVM conditions against a chain for an address, before a file is protected by them: would the address be
 * granted access, and if not, why?
 *
 * `:userAddress` in parameters and in the target value is the address; a native balance without an address is the
 * address's own. A read that reverts, or that finds no contract, does not pass. `passed` is undefined if the result is
 * unknown: no URL for the chain, no connection, a `:name` without a value, values that cannot be compared, conditions
 * that are not EVM. The explanation is in whole coins and tokens, with the decimals and symbols of their contracts; values
 * are in base units. Reads are at the latest block. Loads `ethers` when called.
 *
 * @throws `INVALID_CONDITION`, `INVALID_ADDRESS`, `INVALID_OPTION`, `ABORTED`
 *
 * @example
 * const { allowed, explanation } = await simulateConditions(conditions, "([1] or [2])", address, {
 *   rpc: { Polygon: "https://polygon-rpc.com", Base: "https://mainnet.base.org" },
 * });
 */
export async function simulateConditions<Chain extends ChainTypeOption = "EVM">(
  conditions: readonly ConditionOf<Chain>[],
  aggregator: string | null | undefined,
  address: string,
  options: SimulateOptions<Chain>,
): Promise<Simulation> {
  const call = resolveOptions(schema, options);
  conditions = copyInput(conditions, "conditions");
  const { evaluateConditions } = await import("./evaluate.ts");
  return evaluateConditions(conditions, aggregator, address, call);
}

/** Returns the names of chains in lower case. */
function resolveRpc(rpc: unknown): string | Readonly<Record<string, string>> {
  const isUrl = (url: unknown): url is string => typeof url === "string" && /^https?:\/\//.test(url);
  if (isUrl(rpc)) return rpc;
  const urls = typeof rpc === "object" && rpc !== null ? Object.entries(rpc) : undefined;
  if (!urls?.every(([, url]) => isUrl(url))) {
    throw invalidOption("rpc", "an http or https URL, or an object of such URLs by the names of chains");
  }
  return Object.fromEntries(urls.map(([chain, url]) => [chain.toLowerCase(), url]));
}
