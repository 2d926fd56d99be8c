import type { DeletedFile, FileInfo, Kit, ListedFile, Proof, VerifiedProof } from "keeplight";
import { useCallback } from "react";
import { useKit, useKitLoad } from "./kit-provider.ts";
import { useLatest } from "./store.ts";
import { type Loaded, useLoad } from "./use-load.ts";
import { type TaskControls, useChange } from "./use-task.ts";

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

/**
 * What the network knows of a stored file: its name, size and type, and whether it is encrypted. Nothing authenticates
 * that. Loads on mount, when `cid` changes, and by `reload`.
 *
 * @example
 * const { state } = useFile(cid);
 * return <h1>{state.value?.fileName ?? cid}</h1>;
 */
export function useFile(cid: string): Loaded<FileInfo> {
  return useKitLoad((kit, signal) => kit.getFileInfo(cid, { signal }), cid);
}

/** What {@link useDelete} returns. */
export interface UseDelete extends TaskControls<DeletedFile, never> {
  /** Deletes a file, by the `id` of its row in the listing. */
  deleteFile(id: string): Promise<DeletedFile | undefined>;
}

/**
 * Deletes files of the account of the provider's `apiKey`, one at a time.
 *
 * @param onDeleted - called after each deletion, for example to reload the list
 *
 * @example
 * const { state, reload } = useFiles();
 * const { deleteFile } = useDelete(reload);
 */
export function useDelete(onDeleted?: () => void): UseDelete {
  const { change, make } = useChange<DeletedFile>(undefined, onDeleted);
  const deleteFile = useCallback((id: string) => make((kit, signal) => kit.deleteFile(id, { signal })), [make]);
  return { ...change, deleteFile };
}

/** A proof, and what it proves. */
export interface CheckedProof {
  /** As the network sent it. */
  proof: Proof;
  /** What `verifyProof` found in this page: where the file is, in each deal. */
  verified: VerifiedProof;
}

/**
 * The proof that storage deals hold a file, verified in this page. The state is `failed` with `PROOF_NOT_READY` until
 * there is one, and with `PROOF_INVALID` if it is wrong. Loads on mount, when `cid` changes, and by `reload`.
 */
export function useProof(cid: string): Loaded<CheckedProof> {
  return useKitLoad(async (kit, signal) => {
    const proof = await kit.getProof(cid, { signal });
    return { proof, verified: await kit.verifyProof(proof) };
  }, cid);
}
