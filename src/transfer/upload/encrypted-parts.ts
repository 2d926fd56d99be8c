import { untilAborted } from "../../async/abort.ts";
import { encryptChunks } from "../../crypto/encrypt.ts";
import { encryptedSize, MAX_PLAINTEXT_BYTES } from "../../crypto/file-format.ts";
import { fileTooLarge } from "../../errors/input.ts";
import type { SourceFile } from "../../platform/types.ts";
import { deriveAhead } from "../key-derivation.ts";

/**
 * The name under which an encrypted file goes over the wire: its path within the folder that was picked,
 * with `-` for `/`, as older clients do it. Encrypted files have no folders.
 */
export function encryptedName({ name, folder }: SourceFile): string {
  const path = folder === undefined ? name : name.slice(folder.length + 1);
  return path.replaceAll("/", "-");
}

/** Refuses what the file format cannot hold; throws `FILE_TOO_LARGE`. */
export function refuseTooLarge(files: readonly SourceFile[]): void {
  for (const { name, size = 0 } of files) {
    if (size > MAX_PLAINTEXT_BYTES) throw fileTooLarge(name, size, MAX_PLAINTEXT_BYTES);
  }
}

/** Whether a file is plain text, by its type, or by its name where it has none. */
export function isPlainText({ name, blob }: SourceFile): boolean {
  const type = blob?.type.split(";")[0]?.trim();
  return type ? type === "text/plain" : /[^/]\.txt$/i.test(name);
}

/** The same files, encrypted while they are read, the file at each index with the key at that index. */
export function encryptedParts(files: readonly SourceFile[], masterKeys: readonly string[]): SourceFile[] {
  const prepared = deriveAhead(masterKeys);

  return files.map((file, index) => {
    async function* open(signal: AbortSignal): AsyncGenerator<Uint8Array> {
      yield* encryptChunks(file.open(signal), await untilAborted(prepared(index), signal));
    }
    const size = file.size === undefined ? undefined : encryptedSize(file.size);
    return { name: encryptedName(file), size, open };
  });
}
