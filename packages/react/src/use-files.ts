import type { Kit, ListedFile } from "keeplight";
import { useCallback } from "react";
import { useKit } from "./kit-provider.ts";
import { useLatest } from "./use-latest.ts";
import { type Loaded, useLoad } from "./use-load.ts";

/** The pages loaded so far. */
export interface FilePages {
  /** Of all loaded pages, in the order of the listing. */
  files: readonly ListedFile[];
  /** On all pages, including those not loaded yet; `null` if the network does not report it. */
  totalFiles: number | null;
  /** Whether there is another page. */
  hasMore: boolean;
}

/** What {@link useFiles} returns. */
export interface UseFiles extends Loaded<FilePages> {
  /** Loads the next page, if there is one. */
  loadMore(): Promise<void>;
}

/**
 * Lists the files of the account of the provider's `apiKey`: the first page on mount, more by `loadMore`. `reload`
 * starts again with the first page.
 *
 * @example
 * const { state, loadMore } = useFiles();
 * state.value?.files.map(({ id, fileName }) => <li key={id}>{fileName}</li>);
 */
export function useFiles(): UseFiles {
  const kit = useKit();
  const { state, reload, load } = useLoad<FilePages>((signal) => loadNextPage(kit, signal, undefined), kit);
  const latest = useLatest({ kit, state });
  const loadMore = useCallback(async () => {
    const { state: current } = latest.current;
    if (current.status === "loading" || !current.value?.hasMore) return;
    await load((signal, previous) => loadNextPage(latest.current.kit, signal, previous));
  }, [load, latest]);
  return { state, reload, loadMore };
}

async function loadNextPage(kit: Kit, signal: AbortSignal, previous: FilePages | undefined): Promise<FilePages> {
  const known = previous?.files ?? [];
  const lastKey = known.findLast(({ id }) => id !== "")?.id;
  const { fileList, totalFiles } = await kit.listFiles({ signal, lastKey });
  const seen = new Set(known.map(({ id }) => id));
  const fresh = fileList.filter(({ id }) => id === "" || !seen.has(id));
  const files = [...known, ...fresh];
  const isNew = fresh.some(({ id }) => id !== "");
  return { files, totalFiles, hasMore: isNew && (totalFiles === null || files.length < totalFiles) };
}
