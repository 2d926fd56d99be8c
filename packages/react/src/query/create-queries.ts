import type { FilePage, Kit, KitOptions, SetAccessConditionsOptions } from "keeplight";
import { createKeys, type Queries, retry, toMutation, toQuery } from "./queries.ts";

/** Options of {@link createQueries}. */
export interface QueriesOptions {
  /**
   * What the account is called in keys. Set it, for example to its address, if the cache outlives the page or comes from
   * a server.
   *
   * @default a random one for each kit, so that no account sees what another one has loaded
   */
  account?: string | undefined;
}

/** The keys of kits that were given none. */
const accounts = new WeakMap<object, string>();

/**
 * Returns options for TanStack Query, 5.89 or later, of any framework: queries with keys by account, and mutations that
 * invalidate what they change. Contents of files are not among them, as a cache may be written to disk.
 *
 * @example
 * const queries = createQueries(kit);
 * const { data } = useQuery(queries.balance());
 * const { mutate } = useMutation(queries.upload()); // reloads files and balance
 */
export function createQueries(kit: Kit, { account }: QueriesOptions = {}): Queries {
  const key = createKeys(account ?? getAccount(kit));
  const stored = [key("files"), key("balance")];

  return {
    all: () => key(),

    files: () => ({
      queryKey: key("files"),
      queryFn: ({ signal, pageParam }) => kit.listFiles({ signal, lastKey: pageParam }),
      initialPageParam: undefined,
      getNextPageParam: findNextPage,
      retry,
    }),
    balance: () => toQuery(key("balance"), (signal) => kit.getBalance({ signal })),
    names: () => toQuery(key("names"), (signal) => kit.ipnsListRecords({ signal })),
    file: (cid: string) => toQuery(key("file", cid), (signal) => kit.getFileInfo(cid, { signal })),
    access: (cid: string) => toQuery(key("access", cid), (signal) => kit.kavachGetAccessConditions(cid, { signal })),
    health: (cid: string) => toQuery(key("health", cid), (signal) => kit.kavachInspect(cid, { signal })),
    deals: (cid: string) => toQuery(key("deals", cid), (signal) => kit.getDealStatus(cid, { signal })),
    proof: (cid: string) =>
      toQuery(key("proof", cid), async (signal) => {
        const proof = await kit.getProof(cid, { signal });
        return { proof, verified: await kit.verifyProof(proof) };
      }),

    upload: () =>
      toMutation(
        key("upload"),
        ({ source, options }) => kit.upload(source, options),
        () => stored,
      ),
    uploadEncrypted: () =>
      toMutation(
        key("uploadEncrypted"),
        ({ source, options }) => kit.uploadEncrypted(source, options),
        () => stored,
      ),
    deleteFile: () =>
      toMutation(
        key("deleteFile"),
        ({ id }) => kit.deleteFile(id),
        () => stored,
      ),
    share: () =>
      toMutation(
        key("share"),
        ({ cid, shareTo }) => kit.kavachShare(cid, { shareTo }),
        ({ cid }) => [key("access", cid), key("health", cid)],
      ),
    revoke: () =>
      toMutation(
        key("revoke"),
        ({ cid, revokeTo }) => kit.kavachRevoke(cid, { revokeTo }),
        ({ cid }) => [key("access", cid), key("health", cid)],
      ),
    setConditions: () =>
      toMutation(
        key("setConditions"),
        ({ cid, ...rules }) => kit.kavachSetAccessConditions(cid, rules as KitOptions<SetAccessConditionsOptions>),
        ({ cid }) => [key("access", cid), key("health", cid)],
      ),
    repair: () =>
      toMutation(
        key("repair"),
        ({ cid }) => kit.kavachRepair(cid),
        ({ cid }) => [key("health", cid)],
      ),
    createName: () =>
      toMutation(
        key("createName"),
        () => kit.ipnsGenerateKey(),
        () => [key("names")],
      ),
    publishName: () =>
      toMutation(
        key("publishName"),
        ({ cid, keyName }) => kit.ipnsPublishRecord({ cid, keyName }),
        () => [key("names")],
      ),
    removeName: () =>
      toMutation(
        key("removeName"),
        ({ keyName }) => kit.ipnsRemoveKey(keyName),
        () => [key("names")],
      ),
  };
}

function getAccount(kit: Kit): string {
  const known = accounts.get(kit) ?? crypto.randomUUID();
  accounts.set(kit, known);
  return known;
}

/** The last row of a page is where the next one starts; a page without new rows is the last. */
function findNextPage(page: FilePage, pages: readonly FilePage[]): string | undefined {
  const loaded = pages.reduce((sum, { fileList }) => sum + fileList.length, 0);
  if (page.fileList.length === 0 || (page.totalFiles !== null && loaded >= page.totalFiles)) return undefined;
  return page.fileList.findLast(({ id }) => id !== "")?.id;
}
