import { nonEmpty, reference, unchecked } from "../../base/checks.ts";
import { invalidOption } from "../../base/errors/input.ts";
import { type OptionSchema, resolveOptions } from "../../base/operation.ts";
import type { JournalStore } from "../../platform/types.ts";
import { openByIdentity, openByPassphrase, toRecipient, wrapByPassphrase, wrapForRecipient } from "./age.ts";
import { openByKeyring, wrapByKeyring } from "./keyring.ts";
import { openByMachine, wrapByMachine } from "./machine.ts";
import type { SlotOpener, SlotWrapper } from "./slot.ts";
import type { CodeProvider, JournalUnlock, NewJournalSlot, TypedDataSigner } from "./slot-options.ts";
import { openByWallet, wrapByWallet } from "./wallet.ts";

// Each is checked by what it opens or wraps: only one of them counts.
const unlockSchema = {
  passphrase: unchecked(),
  identity: unchecked<string>(),
  keyring: unchecked(),
  signer: reference<TypedDataSigner>(),
} satisfies OptionSchema<JournalUnlock>;

const newSlotSchema = {
  machine: unchecked(),
  passphrase: unchecked(),
  recipient: unchecked(),
  keyring: unchecked(),
  signer: reference<TypedDataSigner>(),
  provider: reference<CodeProvider>(),
} satisfies OptionSchema<NewJournalSlot>;

/** @throws `INVALID_OPTION`, `INVALID_ADDRESS`, `SIGNATURE_REJECTED` */
export async function resolveUnlock(store: JournalStore, unlock: JournalUnlock | undefined): Promise<SlotOpener> {
  if (unlock === undefined) return openByMachine(store);
  const means = resolveOptions(unlockSchema, unlock);
  const { passphrase, identity, signer } = means;
  switch (getOnly(means, unlockSchema, "unlock")) {
    case "passphrase":
      return openByPassphrase(nonEmpty(passphrase, "passphrase"));
    case "identity":
      return openByIdentity(String(identity), await toRecipient(identity));
    case "keyring":
      return openByKeyring();
    default:
      return openByWallet(signer);
  }
}

/** @throws `INVALID_OPTION`, `INVALID_ADDRESS`, `SIGNATURE_REJECTED` */
export async function resolveNewSlot(store: JournalStore, slot: NewJournalSlot): Promise<SlotWrapper> {
  const { provider, ...means } = resolveOptions(newSlotSchema, slot);
  const { passphrase, recipient, signer } = means;
  switch (getOnly(means, newSlotSchema, "slot")) {
    case "machine":
      return wrapByMachine(store);
    case "passphrase":
      return wrapByPassphrase(nonEmpty(passphrase, "passphrase"));
    case "recipient":
      return wrapForRecipient(nonEmpty(recipient, "recipient"));
    case "keyring":
      return wrapByKeyring();
    default:
      return wrapByWallet(signer, provider);
  }
}

/** Returns the slot by which a new journal is opened with `unlock` from then on; throws `INVALID_OPTION` for a wallet. */
export async function toFirstSlot(unlock: JournalUnlock = {}): Promise<NewJournalSlot> {
  const { passphrase, identity, keyring, signer } = unlock;
  if (signer !== undefined) throw invalidOption("unlock", "no wallet for a new journal: add it as another slot");
  if (passphrase !== undefined) return { passphrase };
  if (identity !== undefined) return { recipient: await toRecipient(identity) };
  return keyring ? { keyring } : { machine: true };
}

/** Returns the name of the only option; throws `INVALID_OPTION` unless there is exactly one. */
function getOnly(options: object, schema: object, what: string): string {
  const [only, ...others] = Object.entries(options).filter(([, value]) => value !== undefined);
  if (!only || others.length > 0) throw invalidOption(what, `one of ${Object.keys(schema).join(", ")}`);
  const [name, value] = only;
  if ((name === "machine" || name === "keyring") && value !== true) throw invalidOption(name, "true");
  return name;
}
