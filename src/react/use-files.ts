import { useCallback } from "react";
import type { Kit, ListedFile } from "../index.ts";
import { useKit } from "./kit-provider.ts";
import { type Loaded, useLoad } from "./use-load.ts";
import { useLatest } from "./use-task.ts";

/** The pages of a listing so far. */
export interface FilePages {
  /** Of all pages so far, in the order of the listing. */
  files: readonly ListedFile[];
  /** On all pages, also those not loaded yet; `null` if the network does not say. */
  totalFiles: number | null;
  /** Whether there is another page. */
  hasMore: boolean;
}

/** What {@link useFiles} gives. */
export interface UseFiles extends Loaded<FilePages> {
  /** Loads the next page, if there is one. */
  loadMore(): Promise<void>;
}

/**
 * The files of the account of the provider's `apiKey`: the first page at once, more by `loadMore`. `reload`
 * begins again with the first page.
 *
 * @example
 * const { state, loadMore } = useFiles();
 * state.value?.files.map(({ id, fileName }) => <li key={id}>{fileName}</li>);
 */
export function useFiles(): UseFiles {
  const kit = useKit();
  const { state, reload, load } = useLoad<FilePages>((signal) => nextPage(kit, signal, undefined), kit);
  const latest = useLatest({ kit, state });
  const loadMore = useCallback(async () => {
    const { state: now } = latest.current;
    if (now.status === "loading" || !now.value?.hasMore) return;
    await load((signal, before) => nextPage(latest.current.kit, signal, before));
  }, [load, latest]);
  return { state, reload, loadMore };
}

async function nextPage(kit: Kit, signal: AbortSignal, before: FilePages | undefined): Promise<FilePages> {
  const known = before?.files ?? [];
  const lastKey = known.findLast(({ id }) => id !== "")?.id;
  const { fileList, totalFiles } = await kit.listFiles({ signal, lastKey });
  const seen = new Set(known.map(({ id }) => id));
  const fresh = fileList.filter(({ id }) => id === "" || !seen.has(id));
  const files = [...known, ...fresh];
  const isNew = fresh.some(({ id }) => id !== "");
  return { files, totalFiles, hasMore: isNew && (totalFiles === null || files.length < totalFiles) };
}
