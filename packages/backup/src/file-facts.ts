import type { BigIntStats } from "node:fs";
import { type FileEntry, RUN_AS } from "./entries.ts";

// What the file system says of a file, as snapshots and states have it.

/** What a snapshot has of a file, but for its chunks. */
export type FileFacts = Omit<FileEntry, "chunks">;

/** Blocks that a file system counts, in bytes. */
const BLOCK_BYTES = 512n;

export function toState({ mtimeNs, ctimeNs, ino, size }: BigIntStats): string {
  return `${mtimeNs} ${ctimeNs} ${ino} ${size}`;
}

export function describeFacts(path: string, facts: BigIntStats, nlink = facts.nlink): FileFacts {
  const mode = toMode(facts.mode);
  return {
    kind: "file",
    path,
    mode,
    mtime: toMs(facts.mtimeNs),
    size: Number(facts.size),
    ...(facts.size > 0n && facts.blocks * BLOCK_BYTES < facts.size ? { isSparse: true } : {}),
    ...(nlink > 1n ? { hasNames: true } : {}),
    ...((mode & RUN_AS) === 0 ? {} : { uid: Number(facts.uid), gid: Number(facts.gid) }),
  };
}

export const toMode = (mode: bigint): number => Number(mode & 0o7777n);

/** The furthest time that a `Date` has, in milliseconds: some file systems have further ones. */
export const FURTHEST_MS = 8_640_000_000_000_000;

export const toMs = (ns: bigint): number => Math.max(-FURTHEST_MS, Math.min(Number(ns / 1_000_000n), FURTHEST_MS));
