import { derivationsAtOnce } from "#platform";
import { type PreparedEncryption, prepareEncryption } from "../crypto/encrypt.ts";

/**
 * Derives the keys of many files in order, a few files ahead of the one that is being encrypted, so
 * that all cores are busy and the bytes do not wait.
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

  return async (index) => {
    const ahead = index + 1 + derivationsAtOnce();
    for (const masterKey of masterKeys.slice(started.length, ahead)) start(masterKey);
    return started[index] as Promise<PreparedEncryption>;
  };
}
