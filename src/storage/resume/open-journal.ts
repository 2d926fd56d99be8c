import { type OptionSchema, resolveOptions, unchecked } from "../../base/operation.ts";
import type { JournalUnlock } from "../../journal/slots/slot.ts";
import type { Journal, OpenJournalOptions } from "./journal.ts";

// What uses them checks them.
const schema = {
  folder: unchecked<string | URL>(),
  name: unchecked<string>(),
  unlock: unchecked<JournalUnlock>(),
} satisfies OptionSchema<OpenJournalOptions>;

/**
 * Opens a journal, or creates it. Calls with the option `journal` record in it what is needed to continue them, before
 * anything can be lost: should the process be killed or the page be closed, another one completes them with `resume` or
 * `resumeAll`. Downloads keep what has arrived. Everything is encrypted by a key that only this user of this machine has: a
 * file of mode 0600 in the folder, or a non-extractable key in the database of a page. `unlock`, `addSlot` and `removeSlot`
 * open it by other means, besides or instead.
 *
 * @throws `INVALID_OPTION`; `UNSUPPORTED` for a folder in a page, a name in Node, a keyring that is not there, and in a
 * page without IndexedDB or without Web Locks, such as one that is not loaded over HTTPS; `CANNOT_WRITE`,
 * `JOURNAL_KEY_EXPOSED` if other users can read the key file, `JOURNAL_KEY_MISSING` if it is not there any more,
 * `JOURNAL_LOCKED` if `unlock` opens none of its slots, `JOURNAL_BUSY` for a new one that another process does not complete,
 * `JOURNAL_DAMAGED`, `SIGNATURE_REJECTED`
 *
 * @example
 * const journal = await openJournal({ folder: "./journal" });
 * await journal.resumeAll({ apiKey, signer });
 * await uploadEncrypted("./secret.pdf", { apiKey, signer, journal });
 */
export async function openJournal(options: OpenJournalOptions): Promise<Journal> {
  const resolved = resolveOptions(schema, options);
  const { openStored } = await import("../lazy.ts");
  return openStored(resolved);
}
