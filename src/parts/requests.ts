// Options of a call: a schema of checks and defaults, by which they are copied, checked and resolved once.

export type { Check, OptionSchema, Resolved } from "../base/operation.ts";
export { copyInput, isOptions, pickOptions, resolveChanges, resolveOptions } from "../base/operation.ts";
// The declarations of packages name this type.
export type { ResolvedEndpoints } from "../base/options.ts";
export { bearerSchema, callSchema, checkToken, copyOptions, mixedSchema, resolveCall } from "../base/options.ts";

// Checks of one option each.

export { boolean, callback, json, optional, reference, signal, unchecked, wholeNumber } from "../base/operation.ts";

// Requests to other services, and uploads through an endpoint, or to a service that is paid for one.

export { rawBody } from "#platform";
export { exchange } from "../network/http/client.ts";
export { assertSuccess, parseResponse } from "../network/http/response.ts";
export { withoutCredentials, withoutSecrets } from "../network/http/secrets.ts";
export { refusalStatus } from "../storage/upload/route-via.ts";
export { relay } from "../storage/upload/send.ts";
export { getUploadHost, STORAGE_HEADER, storageSchema } from "../storage/upload/storage-class.ts";
export type { UploadPayment } from "../storage/upload/upload-access.ts";

// Work that a signal ends, errors that several packages throw, and state that all copies of a package share.

export { deriveSignal, onAbort, throwIfAborted, untilAborted, wait } from "../base/async/abort.ts";
export { mapInOrder } from "../base/async/parallel.ts";
export { printable } from "../base/errors/base.ts";
export {
  cannotWrite,
  invalidOption,
  invalidSource,
  sourceChanged,
  sourceUnreadable,
} from "../base/errors/input.ts";
export { entryBusy } from "../base/errors/journal.ts";
export { shared } from "../base/shared.ts";
export { limitTime } from "../network/http/deadline.ts";
