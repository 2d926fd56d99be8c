import type { Platform } from "../types.ts";

/** Loads what keeps a journal only if one is opened: bundlers keep all of this folder that is not loaded later together. */
export const journalStore: Platform["journalStore"] = async (place) => {
  const { openJournalDatabase } = await import("./journal-database.ts");
  return openJournalDatabase(place);
};
