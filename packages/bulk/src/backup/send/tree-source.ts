import { createHash } from "node:crypto";
import { join } from "node:path";
import { encryptedSize, type FileCipher, listSourceFiles, sourceChanged } from "keeplight/parts";
import type { BulkFile, BulkStore } from "../../plan/types.ts";
import { readLineAt, readLines, readPlacedLines } from "../entries/lines.ts";
import type { KnownFile, Line } from "../entries/types.ts";
import { isToSend } from "../scan/write-tree.ts";

/** What the files of a tree are sent from. */
export interface TreeToSend {
  /** Absolute path of the folder of the backup. */
  root: string;
  /** Path of the tree. */
  tree: string;
  /** Names the tree: no other has the same. */
  place: string;
  /** Absent if files are stored as they are. */
  encryption?: { cipher: FileCipher; salt: Uint8Array };
}

/**
 * Creates the source of the files of a tree that have to be sent. They are numbered from 0 on: neither the name of a file nor
 * its length leaves this machine. A file with other bytes than those that were scanned ends in `SOURCE_CHANGED`.
 */
export function createTreeSource({ root, tree, place, encryption }: TreeToSend): BulkStore {
  let places: Promise<number[]> | undefined;
  return {
    place,
    async *list(after) {
      let number = 0;
      for await (const line of readLines<Line>(tree)) {
        if (!isToSend(line)) continue;
        const path = String(number++);
        if (after !== undefined && Number(path) <= Number(after)) continue;
        yield { path, size: encryption ? encryptedSize(line.size) : line.size };
      }
    },
    async *open({ path }: BulkFile, signal) {
      places ??= findPlaces(tree);
      const line = await readLineAt<KnownFile>(tree, (await places)[Number(path)] ?? 0);
      const plain = readScanned(join(root, line.path), line, signal);
      yield* encryption ? encryption.cipher.encrypt(plain, encryption.salt) : plain;
    },
  };
}

/** Returns where the lines of the files that have to be sent are in a tree, in bytes. */
async function findPlaces(tree: string): Promise<number[]> {
  const places: number[] = [];
  for await (const { value, at } of readPlacedLines<Line>(tree)) if (isToSend(value)) places.push(at);
  return places;
}

/** Reads a file, and throws at its end unless its bytes are those that were scanned. */
async function* readScanned(
  place: string,
  { path, size, sha256 }: KnownFile,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const [file] = await listSourceFiles(place, { name: undefined, signal });
  if (file?.size !== size) throw sourceChanged(path, size, file?.size ?? 0);
  const hash = createHash("sha256");
  for await (const chunk of file.open(signal)) {
    hash.update(chunk);
    yield chunk;
  }
  if (hash.digest("hex") !== sha256) throw sourceChanged(path, size, size);
}
