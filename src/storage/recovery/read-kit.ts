import { throwIfAborted } from "../../base/async/abort.ts";
import { isKeeplightError, type KeeplightError, printable } from "../../base/errors/base.ts";
import { invalidSource } from "../../base/errors/input.ts";
import { cannotOpenKit, invalidIdentity, notInKit } from "../../base/errors/verification.ts";
import { toChunks } from "../../base/streams/chunks.ts";
import type { AgeSecret } from "../../formats/age-target.ts";
import { checkCid } from "../../formats/cid/content-id.ts";
import { type RecoveryEntry, readEntries } from "../../formats/recovery-file/entry.ts";
import type { OnUnreadable, SourceFile } from "../../platform/types.ts";
import { isChunkStream, listSourceFiles, type Source, withSourceCleanup } from "../upload/source.ts";

/** What is in a recovery kit, and could not be read to its end. */
export interface UnreadKitFile {
  /** Its name, safe to print. */
  file: string;
  /** Why: `CANNOT_DECRYPT`, `INVALID_KIT`, `COMMITMENT_MISMATCH`, or that it could not be read. */
  error: KeeplightError;
}

/** An opened recovery kit. Its keys are not part of what `console.log` prints. */
export interface RecoveryKit {
  /**
   * The files whose keys it holds, each once. Everyone who knows the recipient, or the passphrase, can add to a kit: names
   * and sizes are unverified, and whether a key is right shows when it opens the file.
   */
  entries: RecoveryEntry[];
  /** The kit's own files that could not be read to their ends. What was read before the failure is in `entries`. */
  unread: UnreadKitFile[];
  /**
   * Returns the keys that the kit holds for a file, in the order of its files, for the option `key` of {@link decrypt},
   * which finds the right one. There is one, unless somebody added another. Throws `NOT_IN_KIT` if the kit holds none.
   */
  keys(cid: string): string[];
}

export async function readKit(
  source: Source,
  secret: AgeSecret,
  signal: AbortSignal = new AbortController().signal,
): Promise<RecoveryKit> {
  return withSourceCleanup(source, async (own) => {
    const { decryptAge, toRecipient } = await import("../../formats/age.ts");
    if ("identity" in secret && (await toRecipient(secret.identity)) === undefined) throw invalidIdentity();
    const entries: RecoveryEntry[] = [];
    const unread: UnreadKitFile[] = [];
    const keysOf = new Map<string, Set<string>>();
    const files = await listKitFiles(own, signal, (name, error) => unread.push({ file: printable(name), error }));
    const unlisted = unread.length;
    for (const file of files) {
      try {
        const chunks = toChunks(decryptAge(file.open(signal), secret, signal), signal);
        for await (const { masterKey, ...entry } of readEntries(chunks, file.name)) {
          const keys = keysOf.get(entry.cid);
          keysOf.set(entry.cid, (keys ?? new Set()).add(masterKey));
          if (!keys) entries.push(entry);
        }
      } catch (error) {
        throwIfAborted(signal);
        const { name } = file;
        unread.push({ file: printable(name), error: isKeeplightError(error) ? error : cannotOpenKit(name) });
      }
    }
    const [first] = unread;
    if (first && unread.length === unlisted + files.length && entries.length === 0) throw first.error;
    return {
      entries,
      unread,
      keys(cid) {
        const keys = keysOf.get(checkCid(cid));
        if (keys === undefined) throw notInKit(cid);
        return [...keys];
      },
    };
  });
}

async function listKitFiles(source: Source, signal: AbortSignal, onUnreadable: OnUnreadable): Promise<SourceFile[]> {
  const name = isChunkStream(source) ? "kit" : undefined;
  const files = await listSourceFiles(source, { name, signal, onUnreadable });
  const kits = files.filter(({ name, folder }) => folder === undefined || name.endsWith(".age"));
  if (kits.length === 0) throw invalidSource("the folder has no files *.age");
  return kits;
}
