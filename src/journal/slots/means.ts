import { keyring } from "#platform";
import { ignore } from "../../base/errors/base.ts";
import { invalidOption } from "../../base/errors/input.ts";
import { unsuitableWallet } from "../../base/errors/journal.ts";
import { networkError } from "../../base/errors/transport.ts";
import {
  nonEmpty,
  type OptionSchema,
  type Resolved,
  reference,
  resolveOptions,
  unchecked,
} from "../../base/operation.ts";
import { collectBytes, concatBytes, fromHex } from "../../base/streams/bytes.ts";
import { checkAddress } from "../../base/validation/address.ts";
import { promptSigner } from "../../base/validation/sign.ts";
import type { AgeSecret, AgeTarget } from "../../formats/age.ts";
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

/**
 * An age identity, which opens the slots of its recipient. The `INVALID_OPTION` of a malformed one does not show it: it may
 * differ from the right one in a character.
 */
async function byIdentity(identity: string): Promise<SlotMeans> {
  const recipient = await (await loadAge()).toRecipient(identity);
  if (recipient === undefined) throw invalidOption("identity", "an age identity (AGE-SECRET-KEY-1…)");
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

/** What a wallet signs (EIP-712), with the ids of the journal and the slot. */
const DOMAIN = { name: "keeplight", version: "1" };
const TYPES = {
  JournalKey: ["notice", "journal", "slot"].map((name) => ({ name, type: "string" })),
};
const NOTICE = "This signature opens a journal. Sign it only in the app that you keep the journal with.";

const SIGNATURE = /^0x[0-9a-f]{130}$/i;

/**
 * The signature of a wallet, which has to sign twice to wrap a key. Refuses an account whose signatures differ, as those of
 * some hardware wallets do, or that is a contract: its key would be lost at the next signature.
 *
 * @throws `INVALID_OPTION`, `INVALID_ADDRESS`, `SIGNATURE_REJECTED`; its `wrap` also `WALLET_UNSUITABLE`, `NETWORK`
 */
async function byWallet(wallet?: TypedDataSigner, codeProvider?: CodeProvider): Promise<SlotMeans> {
  const { signer, address } = await checkWallet(wallet);
  return {
    kind: "wallet",
    target: address,
    async wrap(subject, key) {
      const code: unknown = await getCode(codeProvider ?? signer.provider, address);
      if (code !== "0x") throw unsuitableWallet(address, "it is a contract, or delegates to one");
      const signature = await sign(signer, subject);
      if ((await sign(signer, subject)) !== signature) throw unsuitableWallet(address, "its signatures differ");
      return sealKey(await deriveKey(signature, subject), subject, key);
    },
    async unwrap(subject, { target, wrapped }) {
      if (target !== address) return undefined;
      const key = await deriveKey(await sign(signer, subject), subject);
      return unsealKey(key, subject, wrapped).catch(ignore("JOURNAL_DAMAGED"));
    },
  };
}

async function checkWallet(signer: TypedDataSigner | undefined): Promise<{ signer: TypedDataSigner; address: string }> {
  if (typeof signer?.getAddress !== "function" || typeof signer.signTypedData !== "function") {
    throw invalidOption("signer", "an object with getAddress() and signTypedData()");
  }
  const address = checkAddress(await promptSigner(async () => signer.getAddress(), undefined));
  if (!address.startsWith("0x")) throw invalidOption("signer", "the signer of an EVM address");
  return { signer, address };
}

async function getCode(provider: unknown, address: string): Promise<unknown> {
  const { getCode } = Object(provider) as Partial<CodeProvider>;
  if (typeof getCode !== "function") {
    throw invalidOption("provider", "an object with getCode(address), or a signer that has such a provider");
  }
  try {
    return await getCode.call(provider, address);
  } catch {
    // Its error may repeat the URL of a node, which may contain an API key.
    throw networkError({ method: "eth_getCode", url: "the wallet's provider" }, undefined);
  }
}

async function sign(signer: TypedDataSigner, { journal, slot }: SlotSubject): Promise<string> {
  const value = { notice: NOTICE, journal, slot };
  const signature: unknown = await promptSigner(() => signer.signTypedData(DOMAIN, TYPES, value), undefined);
  if (typeof signature === "string" && SIGNATURE.test(signature)) return signature.toLowerCase();
  throw invalidOption("signer", "a signTypedData() that returns a signature of 65 bytes in hex");
}

/** Derives the wrapping key from r and s (HKDF-SHA-256, RFC 5869): wallets encode the last byte in two ways. */
async function deriveKey(signature: string, { journal, slot }: SlotSubject): Promise<CryptoKey> {
  const secret = fromHex(signature.slice(2, 130));
  const encode = (text: string) => new TextEncoder().encode(text);
  const key = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveKey"]);
  const params = {
    name: "HKDF",
    hash: "SHA-256",
    salt: encode(journal),
    info: encode(`keeplight journal slot ${slot} wallet`),
  };
  return crypto.subtle.deriveKey(params, key, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
}
