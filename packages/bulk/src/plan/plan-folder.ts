import { join } from "node:path";
import { invalidOption, toNodeName } from "keeplight/parts";
import { readVersionedJson } from "keeplight/parts/node";
import { writeJson } from "../json-files.ts";
import { readManifest } from "./manifest.ts";
import type { BulkFile, BulkPlan } from "./plan.ts";

/** What the folder of a plan says about it; the counts are absent until its manifest is complete. */
export type StoredPlan = Omit<BulkPlan, "folder" | "files" | "bytes" | "bytesToSend" | "batches"> &
  Partial<Pick<BulkPlan, "files" | "bytes" | "batches">>;

const VERSION = 1;

const toPlanPath = (folder: string) => join(folder, "plan.json");

export const getManifestPath = (folder: string) => join(folder, "manifest.jsonl");

export const getSkippedPath = (folder: string) => join(folder, "skipped.jsonl");

/** Reads the plan of a folder; `undefined` if there is none. Throws `INVALID_OPTION`, `SOURCE_UNREADABLE`. */
export async function readPlanFile(folder: string): Promise<StoredPlan | undefined> {
  const path = toPlanPath(folder);
  return readVersionedJson<StoredPlan>(path, VERSION, () =>
    invalidOption("folder", `a folder of a plan: ${path} is damaged, or of a later version`),
  );
}

/** Writes the plan of a folder, durably and as a whole. Throws `CANNOT_WRITE`. */
export function writePlanFile(folder: string, plan: StoredPlan): Promise<void> {
  return writeJson(toPlanPath(folder), { version: VERSION, ...plan });
}

/** The most files of a batch. */
const MAX_FILES = 1_000;

/** The most bytes of a batch; a larger file has a batch of its own. */
const MAX_BYTES = 256 * 1024 * 1024;

/** The most bytes of paths, with one link each: below the size at which a folder is split into several blocks. */
const MAX_PATH_BYTES = 240 * 1024;
const LINK_BYTES = 36;

/**
 * Groups the files of a plan's manifest into batches, in their order. Which batch a file is in depends only on the files before
 * it. No batch has two files that the upload node would take for one, nor a file and another that is in a folder of its name.
 */
export async function* readBatches(folder: string, encrypted: boolean): AsyncGenerator<BulkFile[]> {
  let batch: BulkFile[] = [];
  let names = createNames();
  let bytes = 0;
  let pathBytes = 0;
  for await (const file of readManifest(getManifestPath(folder))) {
    // Encrypted files have no folders.
    const name = toNodeName(encrypted ? file.path.replaceAll("/", "-") : file.path);
    const pathSize = utf8.encode(file.path).length + LINK_BYTES;
    const isFull = batch.length === MAX_FILES || bytes + file.size > MAX_BYTES || pathBytes + pathSize > MAX_PATH_BYTES;
    if (batch.length > 0 && (isFull || names.isTaken(name))) {
      yield batch;
      batch = [];
      names = createNames();
      bytes = 0;
      pathBytes = 0;
    }
    batch.push(file);
    names.add(name);
    bytes += file.size;
    pathBytes += pathSize;
  }
  if (batch.length > 0) yield batch;
}

/** Creates the names of a batch, and of the folders that they are in. */
function createNames() {
  const files = new Set<string>();
  const folders = new Set<string>();
  return {
    isTaken: (name: string) =>
      files.has(name) || folders.has(name) || listFolders(name).some((each) => files.has(each)),
    add(name: string): void {
      files.add(name);
      for (const folder of listFolders(name)) folders.add(folder);
    },
  };
}

function listFolders(name: string): string[] {
  return Array.from(name.matchAll(/\//g), ({ index }) => name.slice(0, index));
}

const utf8 = new TextEncoder();
