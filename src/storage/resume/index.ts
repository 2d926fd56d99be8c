export type {
  FailedOperation,
  Journal,
  OpenJournalOptions,
  OpenOperation,
  Resumed,
  ResumedOperation,
} from "./journal.ts";
export { openJournal } from "./open-journal.ts";
export type { ResumeOperationOptions } from "./resume-options.ts";
