import { hostname } from "node:os";
import { folderPath } from "./checks.ts";
import { findStateInside } from "./folder-state.ts";
import type { Patience } from "./patience.ts";
import { type Found, walkFolder } from "./scan.ts";
import { type BackupStore, checkStore } from "./store.ts";
import { type StoreWalk, walkStore } from "./walk-store.ts";

/** What is backed up: a folder of this machine, or a store. */
export interface Origin {
  /** Path of the folder, or place of the store. */
  root: string;
  /** Name of the machine that has it; empty if any machine may read it. */
  host: string;
  /** How many files are read at once. */
  filesAtOnce: number;
  /** Yields what is there, in the order of paths. */
  walk(options: Pick<StoreWalk, "filter" | "onSkipped">): AsyncIterable<Found>;
}

/** Returns what identifies a folder or store; throws `INVALID_OPTION`, `INVALID_SOURCE`. */
export function getRoot(source: string | BackupStore): string {
  return typeof source === "string" ? folderPath(source, "folder") : checkStore(source).place;
}

/** Opens a folder or store; throws `INVALID_OPTION` for a folder that is in the state, or the state itself. */
export async function openOrigin(
  source: string | BackupStore,
  { state, signal, onError }: { state: string } & Patience,
): Promise<Origin> {
  const root = getRoot(source);
  if (typeof source !== "string") {
    // A request takes much longer than to read a small file.
    const walk = (options: Parameters<Origin["walk"]>[0]) => walkStore(source, { ...options, signal, onError });
    return { root, host: "", filesAtOnce: 8, walk };
  }
  const excluded = await findStateInside(root, state);
  return {
    root,
    host: hostname(),
    filesAtOnce: 4,
    walk: ({ filter }) => walkFolder({ root, excluded, filter, signal }),
  };
}
