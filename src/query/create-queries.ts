import type {
  AccessRuleOptions,
  DeletedFile,
  FilePage,
  IpnsKey,
  IpnsPublishOptions,
  Kit,
  KitOptions,
  SetAccessConditionsOptions,
  ShareOptions,
  Source,
  UploadEncryptedOptions,
  UploadOptions,
} from "../index.ts";
import { createKeys } from "./keys.ts";
import { toMutation } from "./mutation.ts";
import { retry, toQuery } from "./query.ts";

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

/** What {@link createQueries} returns. */
export type Queries = ReturnType<typeof createQueries>;

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
export function createQueries(kit: Kit, { account }: QueriesOptions = {}) {
  const key = createKeys(account ?? getAccount(kit));
  const stored = [key("files"), key("balance")];

  return {
    /** The key of all queries: to invalidate or to remove them together. */
    all: () => key(),

    /** The files of the account, page by page: for `useInfiniteQuery`. */
    files: () => ({
      queryKey: key("files"),
      queryFn: ({ signal, pageParam }: { signal: AbortSignal; pageParam: string | undefined }) =>
        kit.listFiles({ signal, lastKey: pageParam }),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: findNextPage,
      retry,
    }),
    /** How much the account may store and has stored. */
    balance: () => toQuery(key("balance"), (signal) => kit.getBalance({ signal })),
    /** The names of the account. */
    names: () => toQuery(key("names"), (signal) => kit.ipnsListRecords({ signal })),
    /** What the network knows of a file. */
    file: (cid: string) => toQuery(key("file", cid), (signal) => kit.getFileInfo(cid, { signal })),
    /** Who may open an encrypted file, and under which conditions. */
    access: (cid: string) => toQuery(key("access", cid), (signal) => kit.kavachGetAccessConditions(cid, { signal })),
    /** How the key nodes keep a file's key. The kit's signer signs in for it. */
    health: (cid: string) => toQuery(key("health", cid), (signal) => kit.kavachInspect(cid, { signal })),
    /** The storage deals of a file. */
    deals: (cid: string) => toQuery(key("deals", cid), (signal) => kit.getDealStatus(cid, { signal })),
    /** The proof that storage deals hold a file, verified on this machine. */
    proof: (cid: string) =>
      toQuery(key("proof", cid), async (signal) => {
        const proof = await kit.getProof(cid, { signal });
        return { proof, verified: await kit.verifyProof(proof) };
      }),

    /** Uploads files unencrypted. */
    upload: () =>
      toMutation(
        key("upload"),
        ({ source, options }: { source: Source; options?: KitOptions<UploadOptions> }) => kit.upload(source, options),
        () => stored,
      ),
    /** Encrypts and uploads files. */
    uploadEncrypted: () =>
      toMutation(
        key("uploadEncrypted"),
        ({ source, options }: { source: Source; options?: KitOptions<UploadEncryptedOptions> }) =>
          kit.uploadEncrypted(source, options),
        () => stored,
      ),
    /** Deletes a file, by the `id` of its row in the listing. */
    deleteFile: () =>
      toMutation(
        key("deleteFile"),
        ({ id }: { id: string }): Promise<DeletedFile> => kit.deleteFile(id),
        () => stored,
      ),
    /** Lets addresses open a file. */
    share: () =>
      toMutation(
        key("share"),
        ({ cid, shareTo }: { cid: string; shareTo: ShareOptions["shareTo"] }) => kit.kavachShare(cid, { shareTo }),
        ({ cid }) => [key("access", cid), key("health", cid)],
      ),
    /** Takes addresses' access to a file away. */
    revoke: () =>
      toMutation(
        key("revoke"),
        ({ cid, revokeTo }: { cid: string; revokeTo: ShareOptions["shareTo"] }) => kit.kavachRevoke(cid, { revokeTo }),
        ({ cid }) => [key("access", cid), key("health", cid)],
      ),
    /** Replaces the conditions of a file. */
    setConditions: () =>
      toMutation(
        key("setConditions"),
        ({ cid, ...rules }: { cid: string } & AccessRuleOptions) =>
          kit.kavachSetAccessConditions(cid, rules as KitOptions<SetAccessConditionsOptions>),
        ({ cid }) => [key("access", cid), key("health", cid)],
      ),
    /** Saves new shards on the nodes that have lost theirs. */
    repair: () =>
      toMutation(
        key("repair"),
        ({ cid }: { cid: string }) => kit.kavachRepair(cid),
        ({ cid }) => [key("health", cid)],
      ),
    /** Creates a name. */
    createName: () =>
      toMutation<void, IpnsKey>(
        key("createName"),
        () => kit.ipnsGenerateKey(),
        () => [key("names")],
      ),
    /** Publishes a file under a name. */
    publishName: () =>
      toMutation(
        key("publishName"),
        ({ cid, keyName }: Pick<IpnsPublishOptions, "cid" | "keyName">) => kit.ipnsPublishRecord({ cid, keyName }),
        () => [key("names")],
      ),
    /** Removes a name. */
    removeName: () =>
      toMutation(
        key("removeName"),
        ({ keyName }: Pick<IpnsPublishOptions, "keyName">) => kit.ipnsRemoveKey(keyName),
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
