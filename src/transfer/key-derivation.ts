import { derivationsAtOnce } from "#platform";
import { type PreparedEncryption, prepareEncryption } from "../crypto/encrypt.ts";

/**
 * Derives the keys of many files in order, the first ones at once, and then a few files ahead of the one that is being
 * encrypted, so that all cores are busy and the bytes do not wait.
 *
 * @returns a function that returns the preparation of the file at an index; called once per file, in order
 */
export function deriveAhead(masterKeys: readonly string[]): (index: number) => Promise<PreparedEncryption> {
  const started: Promise<PreparedEncryption>[] = [];

  function start(masterKey: string): void {
    const preparation = prepareEncryption(masterKey);
    // The file that awaits it throws the failure; after the upload has ended, no file may await it.
    preparation.catch(() => undefined);
    started.push(preparation);
  }

  function startUntil(end: number): void {
    for (const masterKey of masterKeys.slice(started.length, end)) start(masterKey);
  }

  // While the caller signs in and connects.
  startUntil(derivationsAtOnce());
  return async (index) => {
    startUntil(index + 1 + derivationsAtOnce());
    return started[index] as Promise<PreparedEncryption>;
  };
}
