export type {
  FailedOperation,
  Journal,
  OpenJournalOptions,
  OpenOperation,
  Resumed,
  ResumedOperation,
  ResumeOperationOptions,
} from "./journal.ts";
export { openJournal } from "./open-journal.ts";
