import { keyring } from "#platform";
import { importSealingKey } from "../sealing.ts";
import { decodeBase64, encodeBase64, ignoreDamaged, sealKey, unsealKey } from "./sealed-key.ts";
import type { SlotOpener, SlotSubject, SlotWrapper } from "./slot.ts";

const KEY_BYTES = 32;

/** Wraps by a random key in the keyring of the operating system. */
export function wrapByKeyring(): SlotWrapper {
  return {
    kind: "keyring",
    async wrap(subject, key) {
      const raw = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
      await (await keyring()).set(toAccount(subject), encodeBase64(raw));
      return sealKey(await importSealingKey(raw), subject, key);
    },
  };
}

export function openByKeyring(): SlotOpener {
  return {
    kind: "keyring",
    async unwrap(subject, { wrapped }) {
      const secret = await (await keyring()).get(toAccount(subject));
      if (secret === undefined) return undefined;
      const raw = decodeBase64(secret);
      if (raw.length !== KEY_BYTES) return undefined;
      return ignoreDamaged(unsealKey(await importSealingKey(raw), subject, wrapped));
    },
  };
}

/** Removes the key of a slot from the keyring. */
export async function removeFromKeyring(subject: SlotSubject): Promise<void> {
  await (await keyring()).remove(toAccount(subject));
}

function toAccount({ journal, slot }: SlotSubject): string {
  return `journal ${journal} slot ${slot}`;
}
