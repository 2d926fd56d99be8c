import { invalidOption } from "../../base/errors/input.ts";
import { concatBytes } from "../../base/streams/bytes.ts";
import type { AgeSecret, AgeTarget } from "../../formats/age/age.ts";
import { decodeBase64, encodeBase64 } from "./sealed-key.ts";
import type { SlotOpener, SlotSubject, SlotWrapper } from "./slot.ts";

const loadAge = () => import("../../formats/age/age.ts");

/** Wraps for everyone who knows a passphrase. */
export function wrapByPassphrase(passphrase: string): SlotWrapper {
  return { kind: "passphrase", wrap: (subject, key) => wrap({ passphrase }, subject, key) };
}

/** Wraps for an age recipient (`age1…`, of X25519). */
export function wrapForRecipient(recipient: string): SlotWrapper {
  return {
    kind: "recipient",
    target: recipient,
    wrap: (subject, key) => wrap({ recipients: [recipient] }, subject, key),
  };
}

export function openByPassphrase(passphrase: string): SlotOpener {
  return { kind: "passphrase", unwrap: (subject, { wrapped }) => unwrap({ passphrase }, subject, wrapped) };
}

/** Opens the slots for the recipient of an age identity. */
export function openByIdentity(identity: string, recipient: string): SlotOpener {
  return {
    kind: "recipient",
    unwrap: async (subject, { target, wrapped }) =>
      target === recipient ? unwrap({ identity }, subject, wrapped) : undefined,
  };
}

/** Returns the recipient of an age identity; throws `INVALID_OPTION`. */
export async function toRecipient(identity: unknown): Promise<string> {
  const recipient = await (await loadAge()).toRecipient(identity);
  if (recipient === undefined) throw invalidOption("identity", "an age identity (AGE-SECRET-KEY-1…)");
  return recipient;
}

async function wrap(target: AgeTarget, subject: SlotSubject, key: Uint8Array<ArrayBuffer>): Promise<string> {
  const encrypt = await (await loadAge()).createAgeEncryption(target, undefined);
  if (!encrypt) throw invalidOption("recipient", "an age recipient (age1…, of X25519)");
  return encodeBase64(await collect(encrypt(toChunks(concatBytes([encodeSubject(subject), key])))));
}

async function unwrap(
  secret: AgeSecret,
  subject: SlotSubject,
  wrapped: string,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const file = decodeBase64(wrapped);
  const { decryptAge } = await loadAge();
  // Whatever age throws, this secret does not open the slot.
  const plain = await collect(decryptAge(toChunks(file), secret, undefined)).catch(() => undefined);
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

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return concatBytes(parts);
}
