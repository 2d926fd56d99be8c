import { unsupported } from "../../base/errors/input.ts";
import type { Platform } from "../types.ts";

// A page has no paths.

export const absolutePath: Platform["absolutePath"] = (path) => path;

export const filesAt: Platform["filesAt"] = async () => {
  throw unsupported("reading from a path; pass a File, a Blob or bytes");
};

const noPath = () => unsupported("writing to a path; leave out `to` and take the bytes or a Blob");

export const fileSink: Platform["fileSink"] = async () => {
  throw noPath();
};

export const partialFiles: Platform["partialFiles"] = () => {
  throw noPath();
};

export const keyring: Platform["keyring"] = async () => {
  throw unsupported("a keyring in a page");
};

/** Loads what keeps a journal only if one is opened: bundlers keep all of this folder that is not loaded later together. */
export const journalStore: Platform["journalStore"] = async (place) => {
  const { openJournalDatabase } = await import("./journal-database.ts");
  return openJournalDatabase(place);
};

/** Maximum size of one array in Chromium, in bytes; other browsers allow more. */
export const maxArrayBytes = 2 ** 31 - 1;
