import { invalidOption } from "../base/errors/input.ts";
import { journalDamaged } from "../base/errors/journal.ts";
import type { JournalStore } from "../platform/types.ts";
import { type Header, readHeader, writeHeader } from "./header.ts";
import { createSlot, type JournalKey } from "./journal-key.ts";
import { removeFromKeyring } from "./slots/keyring.ts";
import { openByMachine } from "./slots/machine.ts";
import { resolveNewSlot } from "./slots/means.ts";
import type { SlotKind, SlotRecord } from "./slots/slot.ts";
import type { NewJournalSlot } from "./slots/slot-options.ts";

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
export interface JournalSlots {
  list(): Promise<JournalSlot[]>;
  add(slot: NewJournalSlot): Promise<JournalSlot>;
  remove(id: string): Promise<void>;
}

export function createSlots(store: JournalStore, { journal, key }: JournalKey): JournalSlots {
  async function read(): Promise<Header> {
    const header = await readHeader(store);
    if (header?.id !== journal) throw journalDamaged("its description is missing, or that of another journal");
    return header;
  }

  /** Whether this machine still has the key of its slot. */
  function opens(slot: SlotRecord): Promise<boolean> {
    const unwrapping = openByMachine(store).unwrap({ journal, slot: slot.id }, slot);
    return unwrapping.then(
      () => true,
      () => false,
    );
  }

  return {
    list: async () => (await read()).slots.map(toJournalSlot),
    async add(slot) {
      const wrapper = await resolveNewSlot(store, slot);
      const raw = new Uint8Array(await crypto.subtle.exportKey("raw", key));
      // A machine has one key for all of its slots. A wallet or a keyring may wait for its user: not while others wait.
      const isOfMachine = wrapper.kind === "machine";
      const created = isOfMachine ? undefined : await createSlot(journal, wrapper, raw);
      return store.exclusively(async () => {
        let { slots } = await read();
        if (isOfMachine) {
          const existing = slots.find(({ kind }) => kind === "machine");
          if (existing && (await opens(existing))) return toJournalSlot(existing);
          slots = slots.filter(({ kind }) => kind !== "machine");
        }
        const added = created ?? (await createSlot(journal, wrapper, raw));
        await writeHeader(store, { id: journal, slots: [...slots, added] });
        return toJournalSlot(added);
      });
    },
    async remove(id) {
      await store.exclusively(async () => {
        const { slots } = await read();
        const { removed, rest } = removeSlot(slots, id);
        await writeHeader(store, { id: journal, slots: rest });
        // What is left of a means that opens nothing any more.
        if (removed.kind === "machine") await store.removeMachineKey();
        if (removed.kind === "keyring") await removeFromKeyring({ journal, slot: id }).catch(() => undefined);
      });
    },
  };
}

/** Removes a slot, unless only wallets would be left: they are no slots to rely on. */
function removeSlot(slots: readonly SlotRecord[], id: string): { removed: SlotRecord; rest: SlotRecord[] } {
  const removed = slots.find((slot) => slot.id === id);
  if (!removed) throw invalidOption("id", "the id of one of the journal's slots");
  const rest = slots.filter((slot) => slot !== removed);
  if (rest.every(({ kind }) => kind === "wallet")) {
    throw invalidOption("id", "a slot besides which another one, that is no wallet, opens the journal");
  }
  return { removed, rest };
}

function toJournalSlot({ id, kind, target }: SlotRecord): JournalSlot {
  return { id, kind: kind as SlotKind, ...(target === undefined ? {} : { target }) };
}
