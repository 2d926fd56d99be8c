import { journalDamaged } from "../base/errors/journal.ts";
import type { JournalStore } from "../platform/types.ts";
import type { SlotRecord } from "./slots/slot.ts";

const VERSION = 1;

/** The description of a journal. */
export interface Header {
  /** Of the journal. */
  id: string;
  /** What opens it: at least one. */
  slots: readonly SlotRecord[];
}

/**
 * Reads the description of a journal; `undefined` for a new one.
 *
 * @throws `JOURNAL_DAMAGED`
 */
export async function readHeader(store: JournalStore): Promise<Header | undefined> {
  const bytes = await store.readHeader();
  return bytes && parseHeader(bytes);
}

/** Replaces the description, durably. */
export async function writeHeader(store: JournalStore, { id, slots }: Header): Promise<void> {
  await store.writeHeader(new TextEncoder().encode(JSON.stringify({ version: VERSION, id, slots })));
}

function parseHeader(bytes: Uint8Array): Header {
  try {
    const { version, id, slots } = JSON.parse(new TextDecoder().decode(bytes)) as Header & { version: number };
    if (version === VERSION && typeof id === "string" && Array.isArray(slots) && slots.every(isSlotRecord)) {
      return { id, slots };
    }
  } catch (cause) {
    throw journalDamaged("its description", cause);
  }
  throw journalDamaged("its description, or of a later version of this package");
}

function isSlotRecord({ id, kind, target = "", wrapped }: SlotRecord): boolean {
  return [id, kind, target, wrapped].every((field) => typeof field === "string");
}
