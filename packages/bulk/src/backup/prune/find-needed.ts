import { normalizeCid } from "keeplight/parts";
import { readLines } from "../entries/lines.ts";
import type { Line } from "../entries/types.ts";
import type { OpenedSnapshot } from "../snapshot/open-snapshot.ts";

/** Content ids, each in one encoding. */
export interface ContentIds {
  add(cid: string): void;
  has(cid: string): boolean;
}

export function createContentIds(): ContentIds {
  const ids = new Set<string>();
  return { add: (cid) => void ids.add(normalizeCid(cid)), has: (cid) => ids.has(normalizeCid(cid)) };
}

/** Adds all that a snapshot refers to. */
export async function addSnapshot(needed: ContentIds, { list }: OpenedSnapshot): Promise<void> {
  for await (const entry of list()) if (entry.kind === "file" && entry.cid !== undefined) needed.add(entry.cid);
}

/** Adds all that the next backup will not send again. */
export async function addIndex(needed: ContentIds, index: string): Promise<void> {
  for await (const line of readLines<Line>(index)) {
    if (line.kind !== "file") continue;
    for (const cid of [line.cid, line.before?.cid]) if (cid !== undefined) needed.add(cid);
  }
}
