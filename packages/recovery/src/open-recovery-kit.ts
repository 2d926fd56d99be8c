import { isKeeplightError, KeeplightError, type Source } from "keeplight";
import {
  checkCid,
  invalidOption,
  invalidSource,
  isChunkStream,
  listSourceFiles,
  loadAge,
  type OptionSchema,
  optional,
  printable,
  type RecoveryEntry,
  resolveOptions,
  type SourceFile,
  signal,
  throwIfAborted,
  unchecked,
  withSourceCleanup,
} from "keeplight/parts";
import { passphrase } from "./passphrase.ts";
import { readEntries } from "./read-entries.ts";

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
   * Returns the keys that the kit holds for a file, in the order of its files, for the option `key` of `decrypt`, which finds
   * the right one. There is one, unless somebody added another. Throws `NOT_IN_KIT` if the kit holds none.
   */
  keys(cid: string): string[];
}

/** Options of {@link openRecoveryKit}. */
export type OpenKitOptions = {
  /** Ends the call. @default none */
  signal?: AbortSignal | undefined;
} & (
  | {
      /** The age identity (`AGE-SECRET-KEY-1…`) that the kit was made for. */
      identity: string;
      /** Excluded by `identity`. */
      passphrase?: undefined;
    }
  | {
      /** The passphrase that the kit was made with. */
      passphrase: string;
      /** Excluded by `passphrase`. */
      identity?: undefined;
    }
);

const schema = {
  signal,
  identity: unchecked<string>(),
  passphrase: optional(passphrase),
} satisfies OptionSchema<OpenKitOptions>;

/**
 * Opens a recovery kit: an age file of `makeRecoveryKit`, or a folder of those that encrypted uploads have added.
 * Opens what can be opened, and reports the rest in `unread`. Names and sizes are unverified: whoever knows the recipient
 * can add to a kit.
 *
 * @param source - in Node a path; bytes, a Blob or a stream; or several of these. Of a folder, the files `*.age` are read
 * @throws `INVALID_OPTION`, `INVALID_SOURCE`, `ABORTED`; if no file of the kit can be read, why not the first one:
 * `SOURCE_UNREADABLE`; `CANNOT_DECRYPT` for a wrong identity or passphrase and for a damaged or truncated file
 * (`details.file`); `INVALID_KIT` for other content than a kit's; `COMMITMENT_MISMATCH` for a key that does not belong to
 * its file
 *
 * @example
 * const kit = await openRecoveryKit("./kit.age", { identity });
 * for (const { cid } of kit.entries) await decrypt(cid, { key: kit.keys(cid), to: `./${cid}` });
 */
export async function openRecoveryKit(source: Source, options: OpenKitOptions): Promise<RecoveryKit> {
  const { signal = new AbortController().signal, identity, passphrase } = resolveOptions(schema, options);
  if (identity !== undefined && passphrase !== undefined) throw invalidOption("passphrase", "nothing beside identity");
  const secret = passphrase === undefined ? { identity: identity ?? "" } : { passphrase };
  return withSourceCleanup(source, async (own) => {
    const { decryptAge, toRecipient } = await loadAge();
    if ("identity" in secret && (await toRecipient(secret.identity)) === undefined) {
      throw invalidOption("identity", "an age identity (AGE-SECRET-KEY-1…)");
    }
    const unread: UnreadKitFile[] = [];
    const files = await listKitFiles(own, signal, (name, error) => unread.push({ file: printable(name), error }));
    const unlisted = unread.length;
    const entries: RecoveryEntry[] = [];
    const keysOf = new Map<string, Set<string>>();
    for (const file of files) {
      try {
        const lines = decryptAge(file.open(signal), secret, signal);
        for await (const { masterKey, ...entry } of readEntries(lines, file.name)) {
          throwIfAborted(signal);
          const keys = keysOf.get(entry.cid);
          keysOf.set(entry.cid, (keys ?? new Set()).add(masterKey));
          if (!keys) entries.push(entry);
        }
      } catch (error) {
        throwIfAborted(signal);
        unread.push({ file: printable(file.name), error: isKeeplightError(error) ? error : cannotOpen(file) });
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

async function listKitFiles(
  source: Source,
  signal: AbortSignal,
  onUnreadable: (name: string, error: KeeplightError) => void,
): Promise<SourceFile[]> {
  const name = isChunkStream(source) ? "kit" : undefined;
  const files = await listSourceFiles(source, { name, signal, onUnreadable });
  const kits = files.filter(({ name, folder }) => folder === undefined || name.endsWith(".age"));
  if (kits.length === 0) throw invalidSource("the folder has no files *.age");
  return kits;
}

/** A kit's file that cannot be decrypted: another identity, a wrong passphrase, or damage. */
const cannotOpen = ({ name }: SourceFile) =>
  new KeeplightError("CANNOT_DECRYPT", `Could not open ${name}: wrong identity or passphrase, or it is damaged`, {
    details: { file: printable(name) },
  });

/** The kit was made before the file was, or without it. */
const notInKit = (cid: string) =>
  new KeeplightError("NOT_IN_KIT", "The recovery kit does not hold the key of this file", { details: { cid } });
