import { KeeplightError } from "./base.ts";

/** @param key - path of the key file, or what a page calls it; `restore` says what to do about it */
export function missingJournalKey(place: string, key: string, restore: string): KeeplightError {
  const message = `The journal's key is missing: ${key}. Nothing that was sealed by it can be read without it: ${restore}`;
  return new KeeplightError("JOURNAL_KEY_MISSING", message, { details: { place, key } });
}

/** @param reason - why its signatures do not open anything later */
export function unsuitableWallet(address: string, reason: string): KeeplightError {
  const message = `The wallet cannot open a journal: ${reason}`;
  return new KeeplightError("WALLET_UNSUITABLE", message, { details: { address } });
}

export function missingKeyring(cause: unknown): KeeplightError {
  const message = "The keyring requires a package that is not installed or does not load: npm install @napi-rs/keyring";
  return new KeeplightError("UNSUPPORTED", message, { cause });
}

export const keyringFailed = (cause: unknown) =>
  new KeeplightError("UNSUPPORTED", "The keyring of the operating system refused the call", { cause });

/** @param what - the file or entry that was modified, or sealed by another key */
export const journalDamaged = (what: string, cause?: unknown) =>
  new KeeplightError("JOURNAL_DAMAGED", `The journal is damaged: ${what}`, { details: { what }, cause });

/** @param place - name of the database */
export function journalClosed(place: string, cause: unknown): KeeplightError {
  const message = "The journal was deleted, cleared or replaced while it was open: open it again";
  return new KeeplightError("JOURNAL_CLOSED", message, { details: { place }, cause });
}

export function journalBusy(place: string): KeeplightError {
  const message = "Another call, process or page goes on changing how the journal is opened: try again once it is done";
  return new KeeplightError("JOURNAL_BUSY", message, { details: { place } });
}

/** @param owner - describes who works on the entry */
export const entryBusy = (id: string, owner?: string) =>
  new KeeplightError("JOURNAL_ENTRY_BUSY", `Another call, process or page is working on the operation ${id}`, {
    details: { id, owner },
  });

export function unknownEntry(id: string): KeeplightError {
  const message = `The journal has no open operation ${id}: it was completed or discarded`;
  return new KeeplightError("JOURNAL_ENTRY_UNKNOWN", message, { details: { id } });
}
