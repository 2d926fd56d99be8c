import { keyring } from "#platform";
import { ignore } from "../../base/errors/base.ts";
import { invalidOption } from "../../base/errors/input.ts";
import { invalidIdentity } from "../../base/errors/verification.ts";
import {
  nonEmpty,
  type OptionSchema,
  type Resolved,
  reference,
  resolveOptions,
  unchecked,
} from "../../base/operation.ts";
import { collectBytes, concatBytes } from "../../base/streams/bytes.ts";
import type { AgeSecret, AgeTarget } from "../../formats/age-target.ts";
import { loadAge } from "../../formats/load-age.ts";
import type { JournalStore } from "../../platform/types.ts";
import { decodeBase64, encodeBase64, importSealingKey, sealKey, unsealKey } from "../sealing.ts";
import type {
  Bytes,
  CodeProvider,
  JournalUnlock,
  NewJournalSlot,
  SlotMeans,
  SlotSubject,
  TypedDataSigner,
} from "./slot.ts";
import { byWallet } from "./wallet.ts";

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
export async function resolveUnlock(store: JournalStore, unlock: JournalUnlock | undefined): Promise<SlotMeans> {
  return unlock === undefined ? byMachine(store) : createMeans(store, resolveOnly(unlockSchema, unlock, "unlock"));
}

/** @throws `INVALID_OPTION`, `INVALID_ADDRESS`, `SIGNATURE_REJECTED` */
export async function resolveNewSlot(store: JournalStore, slot: NewJournalSlot): Promise<SlotMeans> {
  return createMeans(store, resolveOnly(newSlotSchema, slot, "slot"));
}

/** Resolves options of which exactly one is a means; throws `INVALID_OPTION`. */
function resolveOnly<Schema extends object>(schema: Schema, options: object, what: string): Resolved<Schema> {
  const resolved = resolveOptions(schema, options);
  const means = Object.entries(resolved).filter(([name, value]) => name !== "provider" && value !== undefined);
  const [only, ...others] = means;
  if (!only || others.length > 0) throw invalidOption(what, `one of ${Object.keys(schema).join(", ")}`);
  const [name, value] = only;
  if ((name === "machine" || name === "keyring") && value !== true) throw invalidOption(name, "true");
  return resolved;
}

async function createMeans(
  store: JournalStore,
  options: Partial<Resolved<typeof unlockSchema & typeof newSlotSchema>>,
): Promise<SlotMeans> {
  const { passphrase, identity, recipient, keyring, machine } = options;
  if (passphrase !== undefined) return byPassphrase(nonEmpty(passphrase, "passphrase"));
  if (identity !== undefined) return byIdentity(identity);
  if (recipient !== undefined) return byRecipient(nonEmpty(recipient, "recipient"));
  if (keyring !== undefined) return byKeyring;
  return machine === undefined ? byWallet(options.signer, options.provider) : byMachine(store);
}

/** The key that this machine keeps: a file that only this user may read, or a page's non-extractable key. */
export function byMachine(store: JournalStore): SlotMeans {
  return {
    kind: "machine",
    wrap: async (subject, key) => sealKey(await store.machineKey(true), subject, key),
    unwrap: async (subject, { wrapped }) => unsealKey(await store.machineKey(false), subject, wrapped),
  };
}

const KEY_BYTES = 32;

/** A random key in the keyring of the operating system. */
const byKeyring: SlotMeans = {
  kind: "keyring",
  async wrap(subject, key) {
    const raw = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
    await (await keyring()).set(toKeyringAccount(subject), encodeBase64(raw));
    return sealKey(await importSealingKey(raw), subject, key);
  },
  async unwrap(subject, { wrapped }) {
    const secret = await (await keyring()).get(toKeyringAccount(subject));
    if (secret === undefined) return undefined;
    const raw = decodeBase64(secret);
    if (raw.length !== KEY_BYTES) return undefined;
    return unsealKey(await importSealingKey(raw), subject, wrapped).catch(ignore("JOURNAL_DAMAGED"));
  },
};

export async function removeFromKeyring(subject: SlotSubject): Promise<void> {
  await (await keyring()).remove(toKeyringAccount(subject));
}

function toKeyringAccount({ journal, slot }: SlotSubject): string {
  return `journal ${journal} slot ${slot}`;
}

/** Opens for everyone who knows the passphrase. */
function byPassphrase(passphrase: string): SlotMeans {
  return {
    kind: "passphrase",
    wrap: (subject, key) => wrap({ passphrase }, subject, key),
    unwrap: (subject, { wrapped }) => unwrap({ passphrase }, subject, wrapped),
  };
}

/** An age recipient, which opens nothing itself. */
function byRecipient(target: string): SlotMeans {
  return {
    kind: "recipient",
    target,
    wrap: (subject, key) => wrap({ recipients: [target] }, subject, key),
    unwrap: async () => undefined,
  };
}

/** An age identity, which opens the slots of its recipient; throws `INVALID_OPTION`. */
async function byIdentity(identity: string): Promise<SlotMeans> {
  const recipient = await (await loadAge()).toRecipient(identity);
  if (recipient === undefined) throw invalidIdentity();
  return {
    ...byRecipient(recipient),
    unwrap: async (subject, { target, wrapped }) =>
      target === recipient ? unwrap({ identity }, subject, wrapped) : undefined,
  };
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
