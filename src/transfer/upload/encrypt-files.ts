import { untilAborted } from "../../async/abort.ts";
import { encryptChunks } from "../../crypto/encrypt.ts";
import { encryptedSize, MAX_PLAINTEXT_BYTES } from "../../crypto/file-format.ts";
import { fileTooLarge } from "../../errors/input.ts";
import type { SourceFile } from "../../platform/types.ts";
import { deriveAhead } from "../key-derivation.ts";

/** Returns where a file is in the selected folder. */
export function toFolderPath({ name, folder }: SourceFile): string {
  return folder === undefined ? name : name.slice(folder.length + 1);
}

/**
 * Returns the name that an encrypted file is sent under: its path within the selected folder, with `-` for `/`, as older
 * clients do. Encrypted files have no folders.
 */
export function toEncryptedName(file: SourceFile): string {
  return toFolderPath(file).replaceAll("/", "-");
}

/** Throws `FILE_TOO_LARGE` for a file that the file format cannot hold. */
function refuseTooLarge(files: readonly SourceFile[]): void {
  for (const { name, size = 0 } of files) {
    if (size > MAX_PLAINTEXT_BYTES) throw fileTooLarge(name, size, MAX_PLAINTEXT_BYTES);
  }
}

/** Returns whether a file is plain text, by its type or, if it has none, by its name. */
export function isPlainText({ name, blob }: SourceFile): boolean {
  const type = blob?.type.split(";")[0]?.trim();
  return type ? type === "text/plain" : /[^/]\.txt$/i.test(name);
}

/**
 * Returns the same files, encrypted while they are read, the file at each index with the key at that index.
 *
 * @param prepared - returns the preparation of the file at an index
 * @throws `FILE_TOO_LARGE`
 */
export function encryptFiles(
  files: readonly SourceFile[],
  keys: readonly { masterKey: string }[],
  prepared = deriveAhead(keys.map(({ masterKey }) => masterKey)),
): SourceFile[] {
  refuseTooLarge(files);
  return files.map((file, index) => {
    async function* open(signal: AbortSignal): AsyncGenerator<Uint8Array> {
      yield* encryptChunks(file.open(signal, true), await untilAborted(prepared(index), signal));
    }
    const size = file.size === undefined ? undefined : encryptedSize(file.size);
    return { name: toEncryptedName(file), size, open, disposable: true };
  });
}
