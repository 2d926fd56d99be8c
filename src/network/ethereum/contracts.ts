import type { Interface } from "ethers/abi";
import type { Log } from "./eth-rpc.ts";
import { isRevert, type Rpc } from "./json-rpc.ts";

/**
 * Calls a view of a contract. `undefined` if the contract has no such view.
 *
 * @param tag - the block to read at. Default the latest
 */
export async function callView(
  rpc: Rpc,
  contract: Interface,
  to: string,
  [name, ...args]: [name: string, ...args: unknown[]],
  tag: string = "latest",
): Promise<unknown> {
  const data = contract.encodeFunctionData(name, args);
  const result = await rpc("eth_call", [{ to, data }, tag]).catch((error: unknown) => {
    if (!isRevert(error)) throw error;
  });
  return decodeResult(contract, name, result);
}

/** Decodes the single return value of a call, or returns `undefined` if it cannot be decoded. */
export function decodeResult(contract: Interface, name: string, result: unknown): unknown {
  if (typeof result !== "string" || !/^0x[0-9a-fA-F]{64,}$/.test(result)) return undefined;
  try {
    return contract.decodeFunctionResult(name, result)[0];
  } catch {
    return undefined;
  }
}

/** A decoded event, and the log that it was read from. */
export interface FoundEvent<Event, Source extends Log> {
  event: Event;
  log: Source;
  /** Among the logs that were read. */
  position: number;
}

/**
 * Reads every event of this name that the contract emitted, with addresses in lower case. Events of the same name and
 * types whose fields are indexed differently cannot be decoded and are skipped.
 */
export function findEvents<Event, Source extends Log>(
  logs: readonly Source[],
  contract: string,
  abi: Interface,
  name: string,
): FoundEvent<Event, Source>[] {
  return logs.flatMap((log, position) => {
    if (log.address.toLowerCase() !== contract.toLowerCase()) return [];
    try {
      const parsed = abi.parseLog(log);
      if (parsed?.name !== name) return [];
      const fields = Object.entries<unknown>(parsed.args.toObject());
      const lowerCase = fields.map(([field, value]) => [
        field,
        typeof value === "string" ? value.toLowerCase() : value,
      ]);
      return [{ event: Object.fromEntries(lowerCase) as Event, log, position }];
    } catch {
      return [];
    }
  });
}
