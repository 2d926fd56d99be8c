// Options of a call: a schema of checks and defaults, by which they are copied, checked and resolved once.

export {
  boolean,
  type Check,
  callback,
  copyInput,
  isOptions,
  type OptionSchema,
  optional,
  pickOptions,
  type Resolved,
  reference,
  resolveChanges,
  resolveOptions,
  signal,
  unchecked,
  wholeNumber,
} from "../base/operation.ts";
export type { ResolvedEndpoints } from "../base/options.ts";
export { bearerSchema, callSchema, checkToken, copyOptions, mixedSchema, resolveCall } from "../base/options.ts";
