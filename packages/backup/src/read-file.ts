import type { BigIntStats } from "node:fs";
import { constants, type FileHandle, lstat, open } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { isKeeplightError } from "keeplight";
import { sourceChanged, sourceUnreadable, throwIfAborted } from "keeplight/parts";
import { cutChunks, FILE_SIZES, type Gear } from "./chunker.ts";
import type { FileEntry } from "./entries.ts";
import { describeFacts, toState } from "./file-facts.ts";

/** What a state has of a file that it knows. */
export interface KnownFile extends FileEntry {
  /** Changes whenever the file does; absent if it was changed too recently to be sure. */
  state?: string;
}

/** A file that was changed so recently, in milliseconds, may change again without another time or size. */
const RECENT_MS = 2_000;

/** How often a file is read that changes meanwhile. */
const ATTEMPTS = 3;

const PART_BYTES = 1024 * 1024;

/** What reads files. */
export interface FileReading {
  gear: Gear;
  /** Stores a chunk, and returns its id. */
  add(chunk: Uint8Array): Promise<string>;
  signal: AbortSignal | undefined;
}

/** A file of this machine. */
export interface PlacedFile {
  place: string;
  /** The folder that is backed up, below which no link is followed. */
  top: string;
  /** Below the folder of the backup. */
  path: string;
  /** As it was found. */
  facts: BigIntStats;
}

/**
 * Reads a file, and passes on its chunks. It has no other names if it took the place of the one that was found.
 *
 * @throws `SOURCE_UNREADABLE`, `SOURCE_CHANGED` for a file that changes whenever it is read, `ABORTED`, what `add` throws
 */
export async function readFile(file: PlacedFile, reading: FileReading): Promise<KnownFile> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await readOnce(file, reading);
    } catch (error) {
      if (!isKeeplightError(error, "SOURCE_CHANGED") || attempt === ATTEMPTS) throw error;
    }
  }
}

async function readOnce({ place, top, path, facts: found }: PlacedFile, reading: FileReading): Promise<KnownFile> {
  // A pipe that took the place of the file would wait for a writer.
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const handle = await open(place, flags).catch(async (error) => {
    // It has not vanished if something else took the place of its folder.
    const isMoved = (await findFolder(dirname(place), top)) === "changed";
    throw isMoved ? sourceChanged(path, 0, 0) : sourceUnreadable(path, error);
  });
  try {
    const facts = await handle.stat({ bigint: true });
    const isFound = facts.dev === found.dev && facts.ino === found.ino;
    const isInPlace = isFound || (await findFolder(dirname(place), top)) === "there";
    if (!facts.isFile() || !isInPlace) throw sourceChanged(path, 0, 0);
    const isRecent = Date.now() - Number(facts.ctimeMs) < RECENT_MS;
    const size = Number(facts.size);
    const chunks = await addChunks(readParts(handle, path, size, reading.signal), reading);
    const after = await handle.stat({ bigint: true });
    if (toState(after) !== toState(facts)) throw sourceChanged(path, size, Number(after.size));
    const nlink = isFound ? found.nlink : 1n;
    return { ...describeFacts(path, facts, nlink), chunks, ...(isRecent ? {} : { state: toState(facts) }) };
  } finally {
    await handle.close();
  }
}

/**
 * Looks for a folder that was found: whether it is `there`, `gone`, or something else took its place or that of a folder above it,
 * such as a link.
 *
 * @param top - the folder that is backed up; it is never `gone`
 */
export async function findFolder(folder: string, top: string): Promise<"there" | "gone" | "changed"> {
  let at = top;
  for (const name of ["", ...relative(top, folder).split(sep)]) {
    at = join(at, name);
    const found = await lstat(at).catch((error: NodeJS.ErrnoException) => error.code);
    if (found === "ENOENT" && at !== top) return "gone";
    if (typeof found !== "object" || !found.isDirectory()) return "changed";
  }
  return "there";
}

/** Cuts bytes into chunks and stores those; returns their ids, once nothing of them is in work any more. */
export async function addChunks(
  parts: AsyncIterable<Uint8Array>,
  { gear, add }: Pick<FileReading, "gear" | "add">,
): Promise<string[]> {
  const chunks: Promise<string>[] = [];
  try {
    for await (const chunk of cutChunks(parts, FILE_SIZES, gear)) {
      const stored = add(chunk);
      // It may fail before its turn.
      stored.catch(() => undefined);
      chunks.push(stored);
      // Bounds memory: two chunks of a file are in work at once.
      if (chunks.length > 1) await chunks.at(-2);
    }
    return await Promise.all(chunks);
  } finally {
    // None of a file that has changed reaches a pack after that is closed.
    await Promise.allSettled(chunks);
  }
}

/** Yields the bytes of a file: each part is valid until the next one is requested. */
async function* readParts(handle: FileHandle, path: string, size: number, signal: AbortSignal | undefined) {
  const part = Buffer.allocUnsafe(Math.min(PART_BYTES, size));
  for (let at = 0; at < size; ) {
    throwIfAborted(signal);
    const { bytesRead } = await handle.read(part, 0, Math.min(part.length, size - at), at).catch((error) => {
      throw sourceUnreadable(path, error);
    });
    if (bytesRead === 0) throw sourceChanged(path, size, at);
    yield part.subarray(0, bytesRead);
    at += bytesRead;
  }
}
