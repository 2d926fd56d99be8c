import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { base16, base16upper } from "multiformats/bases/base16";
import { base32, base32upper } from "multiformats/bases/base32";
import { base58btc } from "multiformats/bases/base58";
import { CID } from "multiformats/cid";
import { identity } from "multiformats/hashes/identity";
import { invalidDevnetOption } from "../check-options.ts";
import { Refusal } from "../http/json.ts";
import { makeOwnedFolder, removeAbandoned } from "../owned-folder.ts";
import type { Block } from "./car.ts";

export type ContentStore = Awaited<ReturnType<typeof openContentStore>>;

/**
 * Opens the content in `dir`, one file per block, and creates its missing folders.
 *
 * @throws DevnetError `INVALID_OPTION` if they cannot be created.
 */
export async function openContentStore(dir: string) {
  const blocks = join(dir, "blocks");
  const spools = join(dir, "spool");
  try {
    for (const path of [blocks, spools]) await mkdir(path, { recursive: true });
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
    /** Returns the block of a content id, of either version and any codec; throws Refusal 404 if there is none. */
    async read(cid: CID): Promise<Uint8Array> {
      const bytes = await readBlock(blocks, cid);
      if (!bytes) throw new Refusal(404, `Block ${cid} was not found`);
      return bytes;
    },
    /** Opens an empty folder for the blocks of one upload. */
    async openSpool() {
      if (closed) throw new Error("The content store is closed");
      openSpools++;
      try {
        return createSpool(await makeOwnedFolder(spools, ""), blocks, release);
      } catch (error) {
        release();
        throw error;
      }
    },
    /** Refuses further spools; resolves when none is open. */
    close(): Promise<void> {
      closed = true;
      return openSpools === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve));
    },
  };
}

export type Spool = ReturnType<typeof createSpool>;

/** Creates the blocks of one upload, in the folder `dir`, which has none yet. */
function createSpool(dir: string, store: string, onDiscard: () => void) {
  const keys = new Set<string>();
  return {
    dir,
    /** Writes a block, once. Those that are inlined in their content ids need no file. */
    async put({ cid, bytes }: Block): Promise<void> {
      const key = toBlockKey(cid);
      if (keys.has(key) || cid.multihash.code === identity.code) return;
      keys.add(key);
      await writeFile(join(dir, key), bytes);
    },
    /** Returns a block of the upload; throws Refusal 400 if it is missing. */
    async read(cid: CID): Promise<Uint8Array> {
      const bytes = await readBlock(dir, cid);
      if (!bytes) throw new Refusal(400, `Block ${cid} is missing`);
      return bytes;
    },
    /** Moves blocks to the store, those below others first. @default all, in the order they were written */
    async keep(kept: Iterable<string> = keys): Promise<void> {
      for (const key of kept) if (keys.has(key)) await rename(join(dir, key), join(store, key));
    },
    /** Removes what was not moved. */
    discard: () => rm(dir, { recursive: true, force: true }).finally(onDiscard),
  };
}

/** The name of a block's file: its multihash, so that any codec finds it. */
export function toBlockKey(cid: CID): string {
  return Buffer.from(cid.multihash.bytes).toString("hex");
}

async function readBlock(dir: string, cid: CID): Promise<Uint8Array | undefined> {
  if (cid.multihash.code === identity.code) return cid.multihash.digest;
  return readFile(join(dir, toBlockKey(cid))).catch(() => undefined);
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
 * Returns the content id in version 1 and base 32, by which content is known regardless of the version and base of
 * `text`. `undefined` if `text` is not a content id.
 */
export function toContentKey(text: string): string | undefined {
  return parseCid(text)?.toV1().toString();
}
