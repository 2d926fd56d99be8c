import { KeeplightError } from "../base/errors/base.ts";
import { invalidOption } from "../base/errors/input.ts";
import { journalDamaged } from "../base/errors/journal.ts";
import { createId } from "../base/streams/bytes.ts";
import type { JournalStore } from "../platform/types.ts";
import { importSealingKey } from "./sealing.ts";
import { byMachine, removeFromKeyring, resolveNewSlot, resolveUnlock } from "./slots/means.ts";
import type { Bytes, JournalUnlock, NewJournalSlot, SlotKind, SlotMeans, SlotRecord } from "./slots/slot.ts";

const KEY_BYTES = 32;

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
  const means = await resolveUnlock(store, unlock);
  const { id: journal, slots } = (await readHeader(store)) ?? (await createHeader(store, means));
  let raw: Bytes | undefined;
  for (const slot of slots) {
    if (slot.kind === means.kind) raw ??= await means.unwrap({ journal, slot: slot.id }, slot);
  }
  if (!raw) {
    const kinds = [...new Set(slots.map(({ kind }) => kind))];
    const message = `The journal cannot be opened by what was passed; its slots: ${kinds.join(", ")}`;
    throw new KeeplightError("JOURNAL_LOCKED", message, { details: { place: store.place, slots: kinds } });
  }
  if (raw.length !== KEY_BYTES) throw journalDamaged("its description");
  // A read-only medium stays as it is.
  await store.repair?.().catch(() => undefined);
  return { journal, key: await importSealingKey(raw, true) };
}

async function createSlot(journal: string, means: SlotMeans, raw: Bytes) {
  const { kind, target } = means;
  const id = createId();
  const wrapped = await means.wrap({ journal, slot: id }, raw);
  return { id, kind, ...(target === undefined ? {} : { target }), wrapped } satisfies SlotRecord;
}

/** Describes a new journal, which is opened by the same means from then on. */
async function createHeader(store: JournalStore, means: SlotMeans): Promise<Header> {
  if (means.kind === "wallet") throw invalidOption("unlock", "no wallet for a new journal: add it as another slot");
  return store.exclusively(async () => {
    // Another process may have been faster.
    const existing = await readHeader(store);
    if (existing) return existing;
    // A new key would not open them.
    if ((await store.list()).length > 0) throw journalDamaged("its description is missing");
    const id = createId();
    const raw = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
    const header = { id, slots: [await createSlot(id, means, raw)] };
    await writeHeader(store, header);
    return header;
  });
}

/** One way of opening a journal. Plain data without secrets. */
export interface JournalSlot {
  /** For `removeSlot`. */
  id: string;
  /** What opens it. */
  kind: SlotKind;
  /** The age recipient, or the wallet's address. */
  target?: string;
}

/** The slots of an opened journal. */
export function createSlots(store: JournalStore, { journal, key }: JournalKey) {
  async function read(): Promise<Header> {
    const header = await readHeader(store);
    if (header?.id !== journal) throw journalDamaged("its description is missing, or that of another journal");
    return header;
  }

  /** Whether this machine still has the key of its slot. */
  async function opens(slot: SlotRecord): Promise<boolean> {
    const unwrapping = byMachine(store).unwrap({ journal, slot: slot.id }, slot);
    return (await unwrapping.catch(() => undefined)) !== undefined;
  }

  return {
    list: async (): Promise<JournalSlot[]> => (await read()).slots.map(toJournalSlot),
    async add(slot: NewJournalSlot): Promise<JournalSlot> {
      const means = await resolveNewSlot(store, slot);
      const raw = new Uint8Array(await crypto.subtle.exportKey("raw", key));
      // A machine has one key for all of its slots. A wallet or a keyring may wait for its user: not while others wait.
      const isOfMachine = means.kind === "machine";
      const created = isOfMachine ? undefined : await createSlot(journal, means, raw);
      return store.exclusively(async () => {
        let { slots } = await read();
        if (isOfMachine) {
          const existing = slots.find(({ kind }) => kind === "machine");
          if (existing && (await opens(existing))) return toJournalSlot(existing);
          slots = slots.filter(({ kind }) => kind !== "machine");
        }
        const added = created ?? (await createSlot(journal, means, raw));
        await writeHeader(store, { id: journal, slots: [...slots, added] });
        return toJournalSlot(added);
      });
    },
    async remove(id: string): Promise<void> {
      await store.exclusively(async () => {
        const { slots } = await read();
        const removed = slots.find((slot) => slot.id === id);
        if (!removed) throw invalidOption("id", "the id of one of the journal's slots");
        const rest = slots.filter((slot) => slot !== removed);
        // Wallets are no slots to rely on.
        if (rest.every(({ kind }) => kind === "wallet")) {
          throw invalidOption("id", "a slot besides which another one, that is no wallet, opens the journal");
        }
        await writeHeader(store, { id: journal, slots: rest });
        // What is left of a means that opens nothing any more.
        if (removed.kind === "machine") await store.removeMachineKey();
        if (removed.kind === "keyring") await removeFromKeyring({ journal, slot: id }).catch(() => undefined);
      });
    },
  };
}

function toJournalSlot({ id, kind, target }: SlotRecord): JournalSlot {
  return { id, kind: kind as SlotKind, ...(target === undefined ? {} : { target }) };
}

const HEADER_VERSION = 1;

/** The description of a journal. */
export interface Header {
  /** Of the journal. */
  id: string;
  /** What opens it: at least one. */
  slots: readonly SlotRecord[];
}

/** Reads the description of a journal; `undefined` for a new one. Throws `JOURNAL_DAMAGED`. */
export async function readHeader(store: JournalStore): Promise<Header | undefined> {
  const bytes = await store.readHeader();
  if (!bytes) return undefined;
  try {
    const { version, id, slots } = JSON.parse(new TextDecoder().decode(bytes)) as Header & { version: number };
    if (version === HEADER_VERSION && typeof id === "string" && Array.isArray(slots) && slots.every(isSlotRecord)) {
      return { id, slots };
    }
  } catch (cause) {
    throw journalDamaged("its description", cause);
  }
  throw journalDamaged("its description, or of a later version of this package");
}

/** Replaces the description, durably. */
async function writeHeader(store: JournalStore, { id, slots }: Header): Promise<void> {
  await store.writeHeader(new TextEncoder().encode(JSON.stringify({ version: HEADER_VERSION, id, slots })));
}

function isSlotRecord({ id, kind, target = "", wrapped }: SlotRecord): boolean {
  return [id, kind, target, wrapped].every((field) => typeof field === "string");
}
