import { derivationsAtOnce } from "#platform";
import { type Prepared, prepareEncryption } from "../crypto/encrypt.ts";

/**
 * Derives the keys of many files in their order, a few files ahead of the one that is being encrypted, so
 * that all cores are busy and the bytes do not wait.
 *
 * @returns gives the preparation of the file at an index; asked once per file, in order
 */
export function deriveAhead(masterKeys: readonly string[]): (index: number) => Promise<Prepared> {
  const begun: Promise<Prepared>[] = [];

  function begin(masterKey: string): void {
    const preparation = prepareEncryption(masterKey);
    // The file that needs it hears of a failure; nobody may be left to ask if the upload has ended.
    preparation.catch(() => undefined);
    begun.push(preparation);
  }

  return async (index) => {
    const ahead = index + 1 + derivationsAtOnce();
    for (const masterKey of masterKeys.slice(begun.length, ahead)) begin(masterKey);
    return begun[index] as Promise<Prepared>;
  };
}
