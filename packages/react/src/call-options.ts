import { copyOptions } from "keeplight/parts";

/** `Omit` for each member of a union separately, so that mutually exclusive options stay exclusive. */
export type DistributiveOmit<Options, Name extends PropertyKey> = Options extends unknown ? Omit<Options, Name> : never;

/** A hook's options, overridden by those of one call. */
export function mergeOptions<Options extends object>(hookOptions: Options, callOptions: Options): Options {
  return copyOptions({ ...hookOptions, ...callOptions });
}
