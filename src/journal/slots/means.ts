import { keyring } from "#platform";
import { ignore } from "../../base/errors/base.ts";
import { invalidOption } from "../../base/errors/input.ts";
import { nonEmpty, type OptionSchema, reference, resolveOptions, unchecked } from "../../base/operation.ts";
import { collectBytes, concatBytes } from "../../base/streams/bytes.ts";
import type { AgeSecret, AgeTarget } from "../../formats/age-target.ts";
import type { JournalStore } from "../../platform/types.ts";
import { decodeBase64, encodeBase64, importSealingKey, sealKey, unsealKey } from "../sealing.ts";
import type {
  Bytes,
  CodeProvider,
  JournalUnlock,
  NewJournalSlot,
  SlotOpener,
  SlotSubject,
  SlotWrapper,
  TypedDataSigner,
} from "./slot.ts";
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
  switch (getOnly(means, unlockSchema, "unlock")) {
    case "passphrase": {
      const passphrase = nonEmpty(means.passphrase, "passphrase");
      return { kind: "passphrase", unwrap: (subject, { wrapped }) => unwrap({ passphrase }, subject, wrapped) };
    }
    case "identity": {
      const recipient = await toRecipient(means.identity);
      const identity = String(means.identity);
      return {
        kind: "recipient",
        unwrap: async (subject, { target, wrapped }) =>
          target === recipient ? unwrap({ identity }, subject, wrapped) : undefined,
      };
    }
    case "keyring":
      return { kind: "keyring", unwrap: unwrapByKeyring };
    default:
      return openByWallet(means.signer);
  }
}

/** @throws `INVALID_OPTION`, `INVALID_ADDRESS`, `SIGNATURE_REJECTED` */
export async function resolveNewSlot(store: JournalStore, slot: NewJournalSlot): Promise<SlotWrapper> {
  const { provider, ...means } = resolveOptions(newSlotSchema, slot);
  switch (getOnly(means, newSlotSchema, "slot")) {
    case "machine":
      return { kind: "machine", wrap: async (subject, key) => sealKey(await store.machineKey(true), subject, key) };
    case "passphrase": {
      const passphrase = nonEmpty(means.passphrase, "passphrase");
      return { kind: "passphrase", wrap: (subject, key) => wrap({ passphrase }, subject, key) };
    }
    case "recipient": {
      const target = nonEmpty(means.recipient, "recipient");
      return { kind: "recipient", target, wrap: (subject, key) => wrap({ recipients: [target] }, subject, key) };
    }
    case "keyring":
      return { kind: "keyring", wrap: wrapByKeyring };
    default:
      return wrapByWallet(means.signer, provider);
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

/** Opens by the key that this machine keeps: a file that only this user may read, or a page's non-extractable key. */
export function openByMachine(store: JournalStore): SlotOpener {
  return {
    kind: "machine",
    unwrap: async (subject, { wrapped }) => unsealKey(await store.machineKey(false), subject, wrapped),
  };
}

const KEY_BYTES = 32;

/** Wraps by a random key in the keyring of the operating system. */
async function wrapByKeyring(subject: SlotSubject, key: Bytes): Promise<string> {
  const raw = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  await (await keyring()).set(toKeyringAccount(subject), encodeBase64(raw));
  return sealKey(await importSealingKey(raw), subject, key);
}

const unwrapByKeyring: SlotOpener["unwrap"] = async (subject, { wrapped }) => {
  const secret = await (await keyring()).get(toKeyringAccount(subject));
  if (secret === undefined) return undefined;
  const raw = decodeBase64(secret);
  if (raw.length !== KEY_BYTES) return undefined;
  return unsealKey(await importSealingKey(raw), subject, wrapped).catch(ignore("JOURNAL_DAMAGED"));
};

export async function removeFromKeyring(subject: SlotSubject): Promise<void> {
  await (await keyring()).remove(toKeyringAccount(subject));
}

function toKeyringAccount({ journal, slot }: SlotSubject): string {
  return `journal ${journal} slot ${slot}`;
}

const loadAge = () => import("../../formats/age.ts");

/** Returns the recipient of an age identity; throws `INVALID_OPTION`. */
async function toRecipient(identity: unknown): Promise<string> {
  const recipient = await (await loadAge()).toRecipient(identity);
  if (recipient === undefined) throw invalidOption("identity", "an age identity (AGE-SECRET-KEY-1…)");
  return recipient;
}

async function wrap(target: AgeTarget, subject: SlotSubject, key: Bytes): Promise<string> {
  const encrypt = await (await loadAge()).createAgeEncryption(target, undefined);
  if (!encrypt) throw invalidOption("recipient", "an age recipient (age1…, of X25519)");
  return encodeBase64(await collectBytes(encrypt(toChunks(concatBytes([encodeSubject(subject), key])))));
}

async function unwrap(secret: AgeSecret, subject: SlotSubject, wrapped: string): Promise<Bytes | undefined> {
  const file = decodeBase64(wrapped);
  const { decryptAge } = await loadAge();
  // Whatever age throws, this secret does not open the slot.
  const plain = await collectBytes(decryptAge(toChunks(file), secret, undefined)).catch(() => undefined);
  const start = encodeSubject(subject);
  const isOfSlot = plain && start.every((byte, at) => plain[at] === byte);
  return isOfSlot ? plain.slice(start.length) : undefined;
}

/** Precedes the key, so that a slot cannot be moved to another journal. */
function encodeSubject({ journal, slot }: SlotSubject): Uint8Array {
  return new TextEncoder().encode(`keeplight journal ${journal} slot ${slot}\n`);
}

async function* toChunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
