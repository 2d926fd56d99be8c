// Work that a signal ends, errors that several packages throw, and state that all copies of a package share.

export { throwIfAborted, untilAborted, wait } from "../base/async/abort.ts";
export { mapInOrder } from "../base/async/map-in-order.ts";
export { invalidOption, invalidSource } from "../base/errors/input.ts";
export { entryBusy } from "../base/errors/journal.ts";
export { printable } from "../base/errors/printable.ts";
export { cannotWrite, sourceChanged, sourceUnreadable } from "../base/errors/source.ts";
export { shared } from "../base/shared.ts";
export { watchIdle } from "../network/http/idle.ts";
