import { journalDamaged, journalLocked } from "../base/errors/journal.ts";
import type { JournalStore } from "../platform/types.ts";
import { type Header, readHeader, writeHeader } from "./header.ts";
import { createId } from "./ids.ts";
import { importSealingKey } from "./sealing.ts";
import { resolveNewSlot, resolveUnlock, toFirstSlot } from "./slots/means.ts";
import type { SlotOpener, SlotRecord, SlotWrapper } from "./slots/slot.ts";
import type { JournalUnlock } from "./slots/slot-options.ts";

const KEY_BYTES = 32;

/** An opened journal's id and key. */
export interface JournalKey {
  journal: string;
  /** Extractable, for other slots. A `CryptoKey`, which has no global name in Node's types. */
  key: Awaited<ReturnType<typeof crypto.subtle.importKey>>;
}

/**
 * Opens a journal; creates it if it is new.
 *
 * @param unlock - default this machine's key
 * @throws `INVALID_OPTION`, `JOURNAL_LOCKED`, `JOURNAL_DAMAGED`, what the store throws and what the slot's means throws
 */
export async function openJournalKey(store: JournalStore, unlock?: JournalUnlock): Promise<JournalKey> {
  const opener = await resolveUnlock(store, unlock);
  const header = (await readHeader(store)) ?? (await create(store, unlock));
  const raw = await unwrapFirst(opener, header);
  if (!raw) {
    throw journalLocked(
      store.place,
      header.slots.map(({ kind }) => kind),
    );
  }
  if (raw.length !== KEY_BYTES) throw journalDamaged("its description");
  // A read-only medium stays as it is.
  await store.repair?.().catch(() => undefined);
  return { journal: header.id, key: await importSealingKey(raw, true) };
}

/** Wraps a journal's key in a new slot. */
export async function createSlot(journal: string, wrapper: SlotWrapper, raw: Uint8Array<ArrayBuffer>) {
  const { kind, target } = wrapper;
  const id = createId();
  const wrapped = await wrapper.wrap({ journal, slot: id }, raw);
  return { id, kind, ...(target === undefined ? {} : { target }), wrapped } satisfies SlotRecord;
}

async function create(store: JournalStore, unlock: JournalUnlock | undefined): Promise<Header> {
  const wrapper = await resolveNewSlot(store, await toFirstSlot(unlock));
  return store.exclusively(async () => {
    // Another process may have been faster.
    const existing = await readHeader(store);
    if (existing) return existing;
    // A new key would not open them.
    if ((await store.list()).length > 0) throw journalDamaged("its description is missing");
    const id = createId();
    const raw = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
    const header = { id, slots: [await createSlot(id, wrapper, raw)] };
    await writeHeader(store, header);
    return header;
  });
}

/** Unwraps the key of the first slot that `opener` opens. */
async function unwrapFirst(
  opener: SlotOpener,
  { id: journal, slots }: Header,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  for (const record of slots) {
    if (record.kind !== opener.kind) continue;
    const raw = await opener.unwrap({ journal, slot: record.id }, record);
    if (raw) return raw;
  }
  return undefined;
}
