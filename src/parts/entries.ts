// Journals and keys: sealed entries, each with one owner at a time; the account; keys that nothing has proved yet.

export { journalStore } from "#platform";
export type { Entries, Entry } from "../journal/entries.ts";
export { getQueue } from "../journal/handle.ts";
export type { QueuedBatch, QueuedPlace } from "../journal/queue.ts";
export { isSameAddress, refuseOtherOwner } from "../journal/refuse-other-owner.ts";
export type { JournalStore } from "../platform/types.ts";
export { getPayments, openEntries } from "./journals.ts";
export { getOwnerAddress, openByKeys } from "./keys.ts";
