// Options of a call: a schema of checks and defaults, by which they are copied, checked and resolved once.

export { boolean, callback, optional, reference, signal, unchecked, wholeNumber } from "../base/checks.ts";
export type { ResolvedEndpoints } from "../base/config/endpoints.ts";
export { copyInput } from "../base/copy-input.ts";
export { copyOptions } from "../base/copy-options.ts";
export {
  type Check,
  isOptions,
  type OptionSchema,
  pickOptions,
  type Resolved,
  resolveChanges,
  resolveOptions,
} from "../base/operation.ts";
export { bearerSchema, callSchema, checkToken, mixedSchema, resolveCall } from "../base/options.ts";
