import { createReadStream } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { base16, base16upper } from "multiformats/bases/base16";
import { base32, base32upper } from "multiformats/bases/base32";
import { base58btc } from "multiformats/bases/base58";
import { CID } from "multiformats/cid";
import { invalidDevnetOption } from "../check-options.ts";
import { makeOwnedFolder, removeAbandoned } from "../owned-folder.ts";

/** The entries of a folder: content keys by name. */
export type Folder = Readonly<Record<string, string>>;

export type ContentStore = Awaited<ReturnType<typeof openContentStore>>;

/**
 * Opens the content in `dir`, stored once per content key, and creates its missing folders.
 *
 * @throws DevnetError `INVALID_OPTION` if they cannot be created.
 */
export async function openContentStore(dir: string) {
  const inDir = (name: string) => join(dir, name);
  const [files, folders, spools, trees] = [inDir("files"), inDir("folders"), inDir("spool"), inDir("trees")];
  try {
    for (const path of [files, folders, spools, trees]) await mkdir(path, { recursive: true });
    await removeAbandoned(spools, "");
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : "unknown";
    throw invalidDevnetOption(`Invalid option dataDir: ${problem}`, { dir }, cause);
  }
  /** Counted from before its folder is created. */
  let openSpools = 0;
  let closed = false;
  let waiting: (() => void)[] = [];

  function release(): void {
    openSpools--;
    if (openSpools > 0) return;
    for (const resolve of waiting) resolve();
    waiting = [];
  }

  return {
    /** Creates an empty folder to spool into; `discard` removes it with everything in it. */
    async openSpool() {
      if (closed) throw new Error("The content store is closed");
      openSpools++;
      try {
        const dir = await makeOwnedFolder(spools, "");
        return { dir, discard: () => rm(dir, { recursive: true, force: true }).finally(release) };
      } catch (error) {
        release();
        throw error;
      }
    },
    /** Moves a spooled file into the store. */
    adopt: (key: string, spooled: string) => rename(spooled, join(files, key)),
    /** Moves a spooled tree file into the store. */
    adoptTree: (name: string, spooled: string) => rename(spooled, join(trees, name)),
    listTrees: async () => (await readdir(trees)).map((name) => ({ name, path: join(trees, name) })),
    /** Stores a folder atomically: it is written to a spool first. */
    async putFolder(key: string, folder: Folder, spool: string): Promise<void> {
      const unfinished = join(spool, "folder");
      await writeFile(unfinished, JSON.stringify(folder));
      await rename(unfinished, join(folders, key));
    },
    async file(key: string) {
      const path = join(files, key);
      const found = await stat(path).catch(() => undefined);
      return found && { path, size: found.size };
    },
    async folder(key: string): Promise<Folder | undefined> {
      const text = await readFile(join(folders, key), "utf8").catch(() => undefined);
      return text === undefined ? undefined : (JSON.parse(text) as Folder);
    },
    /** Refuses further spools; resolves when none is open. */
    close(): Promise<void> {
      closed = true;
      return openSpools === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve));
    },
  };
}

const READ_BYTES = 256 * 1024;

/**
 * Yields the bytes of a file, or of all files in a folder in the order of their names.
 *
 * @throws once `signal` is aborted.
 */
export async function* readContent(store: ContentStore, key: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const file = await store.file(key);
  if (file) yield* createReadStream(file.path, { highWaterMark: READ_BYTES, signal }) as AsyncIterable<Uint8Array>;
  const folder = file ? undefined : await store.folder(key);
  for (const name of Object.keys(folder ?? {}).sort()) yield* readContent(store, folder?.[name] ?? "", signal);
}

const bases = base58btc.decoder.or(base32.decoder).or(base32upper.decoder).or(base16.decoder).or(base16upper.decoder);

/** Parses a content id of any version and base; `undefined` if `text` is none. */
export function parseCid(text: string): CID | undefined {
  try {
    // version 0 has no base prefix; the parser detects it
    return text.startsWith("Qm") ? CID.parse(text) : CID.parse(text, bases);
  } catch {
    return undefined;
  }
}

/**
 * Returns the key under which content is stored: the content id in version 1 and base 32, regardless of the version and
 * base of `text`. `undefined` if `text` is not a content id.
 */
export function toContentKey(text: string): string | undefined {
  return parseCid(text)?.toV1().toString();
}
