import type { AgeSecret } from "../age/age.ts";
import { throwIfAborted } from "../async/abort.ts";
import { isKeeplightError } from "../errors/base.ts";
import { invalidOption, invalidSource } from "../errors/input.ts";
import { printable } from "../errors/printable.ts";
import { cannotOpenKit, invalidIdentity, notInKit } from "../errors/recovery.ts";
import type { OnUnreadable, SourceFile } from "../platform/types.ts";
import type { RecoveryEntry } from "../recovery-file/entry.ts";
import { readEntries } from "../recovery-file/read-entries.ts";
import { toChunks } from "../streams/chunks.ts";
import { listSourceFiles, type Source, withSourceCleanup } from "../transfer/upload/source.ts";
import { checkCid } from "../validation/cid.ts";
import type { OpenKitOptions, RecoveryKit, UnreadKitFile } from "./kit-options.ts";
import { checkPassphrase } from "./write-kit.ts";

/** Reads all files of a kit; see {@link openRecoveryKit}. */
export async function readKit(source: Source, options: OpenKitOptions): Promise<RecoveryKit> {
  return withSourceCleanup(source, async (own) => {
    const { signal = new AbortController().signal } = options;
    const secret = await checkSecret(options);
    const entries: RecoveryEntry[] = [];
    const unread: UnreadKitFile[] = [];
    const keysOf = new Map<string, Set<string>>();
    const files = await listKitFiles(own, signal, (name, error) => unread.push({ file: printable(name), error }));
    const unlisted = unread.length;
    for (const file of files) {
      try {
        for await (const { masterKey, ...entry } of readFile(file, secret, signal)) {
          const keys = keysOf.get(entry.cid);
          keysOf.set(entry.cid, (keys ?? new Set()).add(masterKey));
          if (!keys) entries.push(entry);
        }
      } catch (error) {
        throwIfAborted(signal);
        unread.push({
          file: printable(file.name),
          error: isKeeplightError(error) ? error : cannotOpenKit(file.name),
        });
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

async function checkSecret({ identity, passphrase }: OpenKitOptions): Promise<AgeSecret> {
  if (identity !== undefined && passphrase !== undefined) throw invalidOption("passphrase", "nothing beside identity");
  if (passphrase !== undefined) return { passphrase: checkPassphrase(passphrase) };
  const { toRecipient } = await import("../age/age.ts");
  if ((await toRecipient(identity)) === undefined) throw invalidIdentity();
  return { identity: identity as string };
}

async function listKitFiles(source: Source, signal: AbortSignal, onUnreadable: OnUnreadable): Promise<SourceFile[]> {
  const name = isBareStream(source) ? "kit" : undefined;
  const files = await listSourceFiles(source, { name, signal, onUnreadable });
  const kits = files.filter(({ name, folder }) => folder === undefined || name.endsWith(".age"));
  if (kits.length === 0) throw invalidSource("the folder has no files *.age");
  return kits;
}

function isBareStream(source: Source): boolean {
  return typeof source === "object" && ("getReader" in source || Symbol.asyncIterator in source);
}

async function* readFile(file: SourceFile, secret: AgeSecret, signal: AbortSignal) {
  const { decryptAge } = await import("../age/age.ts");
  yield* readEntries(toChunks(decryptAge(file.open(signal), secret, signal), signal), file.name);
}
