/** `Omit` for each member of a union by itself, so that what excludes each other still does. */
export type Without<Options, Name extends PropertyKey> = Options extends unknown ? Omit<Options, Name> : never;

/** A hook's options, with those of one call laid over them. */
export function merged<Options extends object>(ofHook: Options, ofCall: Options): Options {
  return { ...ofHook, ...ofCall };
}
