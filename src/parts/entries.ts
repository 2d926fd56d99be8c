// Journals and keys: sealed entries, each with one owner at a time; the account; keys that nothing has proved yet.

export { journalStore } from "#platform";
export type { Entries, Entry } from "../journal/entries.ts";
export type { QueuedBatch, QueuedPlace } from "../journal/handle.ts";
export { getQueue } from "../journal/handle.ts";
export { isSameAddress, refuseOtherOwner } from "../journal/operations.ts";
export type { JournalStore } from "../platform/types.ts";
export { getOwnerAddress, openByKeys } from "./encrypted-files.ts";
export { getPayments, openEntries } from "./journals.ts";
