import { unsupported } from "../../base/errors/input.ts";
import type {
  JournalPlace,
  JournalStore,
  Keyring,
  PartialFiles,
  RereadableSink,
  SavedFile,
  SourceFile,
  WalkOptions,
} from "../types.ts";

// A page has no paths.

/** Returns a path that means the same in another working directory; a path of a page is returned as it is. */
export const absolutePath = (path: string): string => path;

/** Lists the file at a path, or all files of the folder there, in a stable order. */
export async function filesAt(
  _path: string | URL,
  _signal: AbortSignal | undefined,
  _options?: WalkOptions,
): Promise<SourceFile[]> {
  throw unsupported("reading from a path; pass a File, a Blob or bytes");
}

const noPath = () => unsupported("writing to a path; leave out `to` and take the bytes or a Blob");

/** Writes to a path; the file appears there, whole, on commit. */
export async function fileSink(_path: string | URL): Promise<RereadableSink<SavedFile>> {
  throw noPath();
}

/** Returns where the partial files of a target are; throws `INVALID_OPTION`. */
export function partialFiles(_target: string | URL): PartialFiles {
  throw noPath();
}

/** Opens the keyring of the operating system. Throws `UNSUPPORTED`. */
export async function keyring(): Promise<Keyring> {
  throw unsupported("a keyring in a page");
}

/**
 * Opens the store of a journal; creates its database if there is none. Loads what keeps a journal only if one is opened:
 * bundlers keep all of this folder that is not loaded later together.
 */
export async function journalStore(place: JournalPlace): Promise<JournalStore> {
  const { openJournalDatabase } = await import("./journal-database.ts");
  return openJournalDatabase(place);
}

/** The most bytes that one array can hold: Chromium's limit; other browsers allow more. */
export const maxArrayBytes: number = 2 ** 31 - 1;
