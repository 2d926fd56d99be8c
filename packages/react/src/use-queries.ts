import {
  type InfiniteData,
  type UseInfiniteQueryResult,
  type UseQueryResult,
  useInfiniteQuery,
  useQuery,
} from "@tanstack/react-query";
import type { FilePage, ListedFile, Usage } from "keeplight";
import { useProvided } from "./kit-provider.ts";
import type { Queries } from "./query/queries.ts";

/**
 * Returns the queries and mutations of the provider's kit, for the hooks of TanStack Query: what the account has stored, who may
 * open a file, its proof, and what changes them. What the page changes by them, by `useKit` or by the other hooks is loaded
 * again. The same object until the account changes.
 *
 * @throws `UNSUPPORTED` outside a `KitProvider`
 *
 * @example
 * const queries = useKitQueries();
 * const { data } = useQuery(queries.access(cid)); // or useSuspenseQuery
 * const { mutate } = useMutation(queries.share());
 * <button onClick={() => mutate({ cid, shareTo: "0xBob…" })}>Share</button>
 */
export function useKitQueries(): Queries {
  return useProvided().cache.queries;
}

/** The pages loaded so far. */
export interface FilePages {
  /** Of all loaded pages, in the order of the listing. */
  files: readonly ListedFile[];
  /** On all pages, including those not loaded yet; `null` if the network does not report it. */
  totalFiles: number | null;
}

/**
 * Lists the files of the account of the provider's `apiKey`: the first page on mount, more by `fetchNextPage`. Follows every
 * upload and deletion of the page.
 *
 * @example
 * const { data, fetchNextPage, hasNextPage } = useFiles();
 * data?.files.map(({ id, fileName }) => <li key={id}>{fileName}</li>);
 */
export function useFiles(): UseInfiniteQueryResult<FilePages> {
  return useInfiniteQuery({ ...useKitQueries().files(), select: joinPages });
}

/**
 * How much the account of the provider's `apiKey` may store and has stored, in bytes. Follows every upload, deletion and payment
 * of the page.
 *
 * @example
 * const { data } = useBalance();
 * if (data) return <meter max={data.dataLimit} value={data.dataUsed} />;
 */
export function useBalance(): UseQueryResult<Usage> {
  return useQuery(useKitQueries().balance());
}

function joinPages({ pages }: InfiniteData<FilePage>): FilePages {
  const seen = new Set<string>();
  // A row moves to the next page when a file is added meanwhile.
  const files = pages
    .flatMap(({ fileList }) => fileList)
    .filter(({ id }) => id === "" || (!seen.has(id) && seen.add(id)));
  return { files, totalFiles: pages.at(-1)?.totalFiles ?? null };
}
