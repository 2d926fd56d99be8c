import { useKit } from "@keeplight/react";
import type { FolderEntry } from "keeplight";
import { useCallback, useEffect, useState } from "react";
import { joinPath } from "../routes.ts";
import { sortEntries } from "./sort-entries.ts";

/** The entries of a folder, those found so far while it is loading. */
export interface FolderListing {
  status: "loading" | "ready" | "failed";
  entries: readonly FolderEntry[];
  error?: unknown;
}

/** What is shown first; each time after that, twice as many. */
const FIRST_SHOWN = 250;

/** Folders that are cached, for Back to return to the same place at once. Their content cannot change. */
const MAX_CACHED = 20;
const cachedFolders = new Map<string, readonly FolderEntry[]>();

/** Lists a public folder on mount, and when `cid` or `path` change. */
export function useFolderListing(cid: string, path: string): FolderListing & { reload: () => void } {
  const kit = useKit();
  const key = joinPath(cid, path);
  const [attempt, setAttempt] = useState(0);
  const [listing, setListing] = useState<FolderListing & { key: string }>(() => start(key));

  // biome-ignore lint/correctness/useExhaustiveDependencies: `attempt` loads again.
  useEffect(() => {
    setListing((known) => (known.key === key && known.status === "ready" ? known : start(key)));
    if (cachedFolders.has(key)) return;
    const controller = new AbortController();
    const { signal } = controller;
    const entries: FolderEntry[] = [];
    const load = async () => {
      let next = FIRST_SHOWN;
      for await (const entry of kit.listFolder(cid, { path, signal })) {
        entries.push(entry);
        if (entries.length !== next) continue;
        next *= 2;
        if (!signal.aborted) setListing({ key, status: "loading", entries: sortEntries(entries) });
      }
      const sorted = sortEntries(entries);
      cache(key, sorted);
      if (!signal.aborted) setListing({ key, status: "ready", entries: sorted });
    };
    load().catch((error: unknown) => {
      if (!signal.aborted) setListing({ key, status: "failed", entries: sortEntries(entries), error });
    });
    return () => controller.abort();
  }, [kit, cid, path, key, attempt]);

  const reload = useCallback(() => setAttempt((count) => count + 1), []);
  const hasFailed = listing.key === key && listing.status === "failed";
  useEffect(() => {
    if (!hasFailed) return;
    window.addEventListener("online", reload);
    return () => window.removeEventListener("online", reload);
  }, [hasFailed, reload]);
  return { ...(listing.key === key ? listing : start(key)), reload };
}

function start(key: string): FolderListing & { key: string } {
  const entries = cachedFolders.get(key);
  return entries ? { key, status: "ready", entries } : { key, status: "loading", entries: [] };
}

function cache(key: string, entries: readonly FolderEntry[]): void {
  cachedFolders.set(key, entries);
  const [oldest] = cachedFolders.keys();
  if (cachedFolders.size > MAX_CACHED && oldest !== undefined) cachedFolders.delete(oldest);
}
