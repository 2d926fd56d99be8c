// Work that a signal ends, errors that several packages throw, and state that all copies of a package share.

export { throwIfAborted, untilAborted, wait } from "../base/async/abort.ts";
export { mapInOrder } from "../base/async/parallel.ts";
export { printable } from "../base/errors/base.ts";
export { cannotWrite, invalidOption, invalidSource, sourceChanged, sourceUnreadable } from "../base/errors/input.ts";
export { entryBusy } from "../base/errors/journal.ts";
export { shared } from "../base/shared.ts";
export { limitTime } from "../network/http/deadline.ts";
