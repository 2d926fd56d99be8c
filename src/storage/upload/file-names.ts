import { duplicateName } from "../../base/errors/input.ts";
import { fromHex } from "../../base/streams/bytes.ts";
import type { SourceFile } from "../../platform/types.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Converts a file name to what an upload node reads from the multipart body. UTF-8 has no lone surrogates (U+FFFD
 * replaces them), form encoding escapes `"`, CR and LF (WHATWG HTML, multipart/form-data), and a Kubo-like node then
 * decodes backslashes before special characters, `+` and every `%41`, unless an escape is malformed.
 */
export function toNodeName(name: string): string {
  const wire = decoder.decode(encoder.encode(name)).replace(/\r/g, "%0D").replace(/\n/g, "%0A").replace(/"/g, "%22");
  const unquoted = wire.replace(/\\([()<>@,;:\\/[\]?=])/g, "$1");
  if (/%(?![0-9a-f]{2})/i.test(unquoted)) return unquoted;
  return unquoted.replaceAll("+", " ").replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    return decoder.decode(fromHex(escapes.replaceAll("%", "")));
  });
}

/**
 * Throws `DUPLICATE_NAME` for two files of one name, which would become one on the network, even if only the upload node
 * reads the names as identical.
 */
export function refuseDuplicates(names: readonly string[]): void {
  const found = new Map<string, string>();
  for (const name of names) {
    const key = toNodeName(name);
    const first = found.get(key);
    if (first !== undefined) throw duplicateName(name, first);
    found.set(key, name);
  }
}

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

/** Returns the name of the only file, if no folder wraps it: the response is about that file. */
export function getOnlyName(files: readonly SourceFile[], wrapWithDirectory: boolean | undefined): string | undefined {
  const [only] = files;
  return files.length === 1 && !wrapWithDirectory && !only?.name.includes("/") ? only?.name : undefined;
}
