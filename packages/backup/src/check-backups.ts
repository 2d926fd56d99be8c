import { randomInt } from "node:crypto";
import { isKeeplightError } from "keeplight";
import { callback, mapInOrder, type OptionSchema, type Resolved, resolveOptions, wholeNumber } from "keeplight/parts";
import { ChunkIndex } from "./chunk-index.ts";
import { createChunkReader } from "./chunk-reader.ts";
import { readDirectories } from "./directories.ts";
import { invalidBackup } from "./invalid-backup.ts";
import { type AccountOptions, accountSchema } from "./options.ts";
import type { PackDirectory } from "./pack-format.ts";
import { listStored, type StoredFile } from "./remote.ts";
import { listOrphans, openRepositories, type Repository } from "./repository.ts";
import { readSnapshots, type SnapshotContent } from "./snapshot.ts";
import { listTree } from "./tree.ts";

/** Options of {@link checkBackups}. */
export type CheckOptions = AccountOptions & {
  /** How many bytes of packs are read, chosen at random: rounded up to whole packs. @default all */
  bytes?: number | undefined;
  /** Receives how far it is. @default none */
  onProgress?: ((progress: CheckProgress) => void) | undefined;
};

const schema = {
  ...accountSchema,
  bytes: wholeNumber(Number.MAX_SAFE_INTEGER),
  onProgress: callback<(progress: CheckProgress) => void>(),
} satisfies OptionSchema<CheckOptions>;

/** How far a check is. */
export interface CheckProgress {
  /** Bytes of packs that were read. */
  bytes: number;
  /** Bytes of packs that are read in all. */
  total: number;
}

/** Something that is not as it should be. */
export interface CheckProblem {
  /** Content id of the snapshot or pack. */
  cid: string;
  kind: "snapshot" | "pack";
  /** Code of the error. */
  code: string;
  message: string;
}

/** What was found. */
export interface CheckResult {
  /** How many snapshots are complete: all of their chunks are in packs that are stored. */
  snapshots: number;
  /** How many packs were read, and have the chunks that they should. */
  packs: number;
  /** Bytes of those packs. */
  bytes: number;
  /** How many snapshots of the first format there are: these are not checked. */
  notChecked: number;
  problems: CheckProblem[];
}

/**
 * Checks the backups of an account: whether all chunks of all snapshots are stored, and, by reading packs, whether they are what
 * they should be. Those of the first format are only counted. Changes nothing.
 *
 * @throws `MISSING_API_KEY`, `MISSING_OWNER`; what `iterateFiles` and `decrypt` throw; `ABORTED`. Problems do not throw
 *
 * @example
 * const { problems } = await checkBackups({ apiKey, signer, bytes: 1_000_000_000 });
 */
export async function checkBackups(options: CheckOptions): Promise<CheckResult> {
  const resolved = resolveOptions(schema, options);
  const stored = await listStored(resolved);
  const notChecked = new Set(stored.filter(({ kind }) => kind === "first snapshot").map(({ cid }) => cid)).size;
  const result: CheckResult = { snapshots: 0, packs: 0, bytes: 0, notChecked, problems: [] };
  const repositories = await openRepositories(stored, resolved);
  for (const { cid } of listOrphans(stored, repositories)) {
    const { code, message } = invalidBackup(cid, "the file with the key of its repository cannot be opened");
    result.problems.push({ cid, kind: "snapshot", code, message });
  }
  for (const repository of repositories) await checkRepository(repository, stored, resolved, result);
  return result;
}

type ResolvedCheck = Resolved<typeof schema>;

interface CheckedPack {
  cid: string;
  directory: PackDirectory;
  bytes: number;
}

async function checkRepository(
  repository: Repository,
  stored: readonly StoredFile[],
  options: ResolvedCheck,
  result: CheckResult,
): Promise<void> {
  const addProblem = (cid: string, kind: CheckProblem["kind"], error: unknown) => {
    if (!isKeeplightError(error) || isKeeplightError(error, "ABORTED")) throw error;
    result.problems.push({ cid, kind, code: error.code, message: error.message });
  };
  const index = new ChunkIndex();
  const packs: CheckedPack[] = [];
  const own = stored.filter(({ kind, repository: id }) => kind === "pack" && id === repository.id);
  for (const cid of new Set(own.map((file) => file.cid))) {
    try {
      const places = { keys: repository.keys, call: options, state: undefined };
      for await (const { directory } of readDirectories([cid], places)) {
        if (!directory) throw invalidBackup(cid, "it is no pack of this repository");
        index.add(cid, directory);
        packs.push({ cid, directory, bytes: directory.chunks.reduce((sum, { sealed }) => sum + sealed, 0) });
      }
    } catch (error) {
      addProblem(cid, "pack", error);
    }
  }
  const reader = createChunkReader(repository, index, options);
  const there = new Set(packs.map(({ cid }) => cid));
  const checkSnapshot = async (cid: string, content: SnapshotContent) => {
    // Its chunks may be in others, but it is read by those that it names.
    const lost = content.packs.find((pack) => !there.has(pack));
    if (lost !== undefined) throw invalidBackup(cid, `its pack ${lost} is not there`);
    for await (const entry of listTree(cid, content, reader)) {
      if (entry.kind !== "file") continue;
      const size = entry.chunks.reduce((sum, id) => sum + reader.sizeOf(id, cid), 0);
      if (size !== entry.size) throw invalidBackup(cid, `${entry.path} is of another size`);
    }
  };
  for await (const read of readSnapshots(stored, repository, options)) {
    try {
      if ("error" in read) throw read.error;
      await checkSnapshot(read.file.cid, read.content);
      result.snapshots++;
    } catch (error) {
      addProblem(read.file.cid, "snapshot", error);
    }
  }
  const chosen = choosePacks(packs, options.bytes - result.bytes);
  const total = chosen.reduce((sum, { bytes }) => sum + bytes, result.bytes);
  for (const { cid, directory, bytes } of chosen) {
    try {
      const single = new ChunkIndex();
      single.add(cid, directory);
      const own = createChunkReader(repository, single, options);
      const limit = { limit: 4, signal: options.signal };
      for await (const _ of mapInOrder(directory.chunks, limit, ({ id }) => own.read(id, cid)));
      result.packs++;
    } catch (error) {
      addProblem(cid, "pack", error);
    }
    result.bytes += bytes;
    options.onProgress?.({ bytes: result.bytes, total });
  }
}

/** Chooses packs at random, until they have so many bytes. */
function choosePacks(packs: readonly CheckedPack[], bytes: number): CheckedPack[] {
  const rest = [...packs];
  const chosen: CheckedPack[] = [];
  for (let sum = 0; rest.length > 0 && sum < bytes; ) {
    const [pack] = rest.splice(randomInt(rest.length), 1);
    if (!pack) break;
    chosen.push(pack);
    sum += pack.bytes;
  }
  return chosen;
}
