import { unsupported } from "../../errors/input.ts";
import type { JournalPlace, JournalStore } from "../types.ts";

/** @throws `UNSUPPORTED` */
export async function journalStore(_: JournalPlace): Promise<JournalStore> {
  throw unsupported("a journal in a page");
}
