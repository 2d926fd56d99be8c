// Lists of the wings: a list that names an export itself would load all of them where a page's bundler splits its code by
// what files import, as esbuild does.
export * from "./base/index.ts";
export * from "./formats/index.ts";
export type { JournalLike, JournalOptions } from "./journal/handle.ts";
export type { JournalSlot } from "./journal/journal-key.ts";
export type { CodeProvider, JournalUnlock, NewJournalSlot, SlotKind, TypedDataSigner } from "./journal/slots/slot.ts";
export * from "./keys/index.ts";
export * from "./kit/index.ts";
export * from "./network/index.ts";
export * from "./payment/index.ts";
export type { SavedFile } from "./platform/types.ts";
export * from "./storage/download/index.ts";
export * from "./storage/index.ts";
export * from "./storage/upload/index.ts";
export * from "./storage/upload/index-encrypted.ts";
