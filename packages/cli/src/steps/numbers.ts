import { UsageError } from "../frame/usage-error.ts";

/** Reads a whole number of 0 or more that was typed; `undefined` if nothing was. */
export function readWhole(option: string, typed: string | undefined): number | undefined {
  if (typed === undefined) return undefined;
  if (/^\d{1,15}$/.test(typed)) return Number(typed);
  throw new UsageError(`${option} takes a whole number of 0 or more`);
}

/** The same, of any size. */
export function readBig(option: string, typed: string | undefined): bigint | undefined {
  if (typed === undefined) return undefined;
  if (/^\d{1,78}$/.test(typed)) return BigInt(typed);
  throw new UsageError(`${option} takes a whole number of 0 or more`);
}
