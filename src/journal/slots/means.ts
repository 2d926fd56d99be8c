import { invalidOption } from "../../errors/input.ts";
import type { JournalStore } from "../../platform/types.ts";
import { checkOptions } from "../../validation/check-options.ts";
import { checkText } from "../../validation/text.ts";
import { openByIdentity, openByPassphrase, toRecipient, wrapByPassphrase, wrapForRecipient } from "./age.ts";
import { openByKeyring, wrapByKeyring } from "./keyring.ts";
import { openByMachine, wrapByMachine } from "./machine.ts";
import type { SlotOpener, SlotWrapper } from "./slot.ts";
import type { JournalUnlock, NewJournalSlot } from "./slot-options.ts";
import { openByWallet, wrapByWallet } from "./wallet.ts";

const unlockNames = "passphrase,identity,keyring,signer";
const newSlotNames = "machine,passphrase,recipient,keyring,signer,provider";

/** @throws `INVALID_OPTION`, `INVALID_ADDRESS`, `SIGNATURE_REJECTED` */
export async function resolveUnlock(store: JournalStore, unlock: JournalUnlock | undefined): Promise<SlotOpener> {
  if (unlock === undefined) return openByMachine(store);
  const { passphrase, identity, signer } = checkOptions(unlock, unlockNames);
  switch (getOnly(unlock, unlockNames, "unlock")) {
    case "passphrase":
      return openByPassphrase(checkText("passphrase", passphrase));
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
  const { provider, ...means } = checkOptions(slot, newSlotNames);
  const { passphrase, recipient, signer } = means;
  switch (getOnly(means, newSlotNames, "slot")) {
    case "machine":
      return wrapByMachine(store);
    case "passphrase":
      return wrapByPassphrase(checkText("passphrase", passphrase));
    case "recipient":
      return wrapForRecipient(checkText("recipient", recipient));
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
function getOnly(options: object, names: string, what: string): string {
  const [only, ...others] = Object.entries(options).filter(([, value]) => value !== undefined);
  if (!only || others.length > 0) throw invalidOption(what, `one of ${names.replaceAll(",", ", ")}`);
  const [name, value] = only;
  if ((name === "machine" || name === "keyring") && value !== true) throw invalidOption(name, "true");
  return name;
}
