import { journalDamaged, journalLocked } from "../errors/journal.ts";
import type { JournalStore } from "../platform/types.ts";
import { importSealingKey } from "./sealing.ts";
import { machineSlot } from "./slots/machine.ts";

const VERSION = 1;
const KEY_BYTES = 32;

/** One way of opening a journal: its key, wrapped. */
interface SlotRecord {
  kind: string;
  /** The wrapped key, base64. */
  wrapped: string;
}

/** An opened journal's id and key. */
export interface JournalKey {
  journal: string;
  key: CryptoKey;
}

interface Header {
  version: number;
  id: string;
  slots: SlotRecord[];
}

/**
 * Opens a journal; creates it if it is new.
 *
 * @throws `JOURNAL_LOCKED`, `JOURNAL_DAMAGED`, and what the store throws
 */
export async function openJournalKey(store: JournalStore): Promise<JournalKey> {
  const existing = await store.readHeader();
  const header = existing ?? (await store.exclusively(() => createHeader(store)));
  const { id, slots } = parseHeader(header);
  const machine = machineSlot(store, { mayCreate: false });
  const record = slots.find(({ kind }) => kind === machine.kind);
  if (!record) {
    throw journalLocked(
      store.place,
      slots.map(({ kind }) => kind),
    );
  }
  const raw = await machine.unwrap(id, record.wrapped);
  if (raw.length !== KEY_BYTES) throw journalDamaged("journal.json");
  return { journal: id, key: await importSealingKey(raw) };
}

async function createHeader(store: JournalStore): Promise<Uint8Array> {
  // Another process may have been faster.
  const existing = await store.readHeader();
  if (existing) return existing;
  const id = createId();
  const key = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  const slot = machineSlot(store, { mayCreate: true });
  const slots: SlotRecord[] = [{ kind: slot.kind, wrapped: await slot.wrap(id, key) }];
  const header = new TextEncoder().encode(JSON.stringify({ version: VERSION, id, slots } satisfies Header));
  await store.writeHeader(header);
  return header;
}

function parseHeader(bytes: Uint8Array): Header {
  try {
    const header = JSON.parse(new TextDecoder().decode(bytes)) as Header;
    const isKnown =
      header.version === VERSION &&
      typeof header.id === "string" &&
      Array.isArray(header.slots) &&
      header.slots.every(({ kind, wrapped }) => typeof kind === "string" && typeof wrapped === "string");
    if (isKnown) return header;
  } catch (cause) {
    throw journalDamaged("its description", cause);
  }
  throw journalDamaged("its description, or of a later version of this package");
}

/** Creates a random id: 32 hex digits. */
export function createId(): string {
  const random = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
