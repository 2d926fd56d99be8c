import type { FilePage, Kit, KitOptions, SetAccessConditionsOptions } from "keeplight";
import { type FileVariables, type Mutation, type Queries, type Query, type QueryKey, retry } from "./queries.ts";

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
export function createQueries(kit: Kit, { account = getAccount(kit) }: QueriesOptions = {}): Queries {
  const key = (...path: string[]): QueryKey => ["keeplight", account, ...path];
  const query = <Value>(path: readonly string[], load: (signal: AbortSignal) => Promise<Value>): Query<Value> => ({
    queryKey: key(...path),
    queryFn: ({ signal }) => load(signal),
    retry,
  });
  const change = <Variables, Value>(
    name: string,
    listStale: (variables: NoInfer<Variables>) => readonly QueryKey[],
    mutationFn: (variables: Variables) => Promise<Value>,
  ): Mutation<Variables, Value> => ({
    mutationKey: key(name),
    mutationFn,
    async onSettled(_, __, variables, ___, { client }) {
      await Promise.all(listStale(variables).map((queryKey) => client.invalidateQueries({ queryKey })));
    },
  });
  const stored = () => [key("files"), key("balance")];
  const access = ({ cid }: FileVariables) => [key("access", cid), key("health", cid)];
  const health = ({ cid }: FileVariables) => [key("health", cid)];
  const names = () => [key("names")];

  return {
    all: () => key(),

    files: () => ({
      queryKey: key("files"),
      queryFn: ({ signal, pageParam }) => kit.listFiles({ signal, lastKey: pageParam }),
      initialPageParam: undefined,
      getNextPageParam: findNextPage,
      retry,
    }),
    balance: () => query(["balance"], (signal) => kit.getBalance({ signal })),
    names: () => query(["names"], (signal) => kit.ipnsListRecords({ signal })),
    file: (cid) => query(["file", cid], (signal) => kit.getFileInfo(cid, { signal })),
    access: (cid) => query(["access", cid], (signal) => kit.kavachGetAccessConditions(cid, { signal })),
    health: (cid) => query(["health", cid], (signal) => kit.kavachInspect(cid, { signal })),
    deals: (cid) => query(["deals", cid], (signal) => kit.getDealStatus(cid, { signal })),
    proof: (cid) =>
      query(["proof", cid], async (signal) => {
        const proof = await kit.getProof(cid, { signal });
        return { proof, verified: await kit.verifyProof(proof) };
      }),

    upload: () => change("upload", stored, ({ source, options }) => kit.upload(source, options)),
    uploadEncrypted: () =>
      change("uploadEncrypted", stored, ({ source, options }) => kit.uploadEncrypted(source, options)),
    deleteFile: () => change("deleteFile", stored, ({ id }) => kit.deleteFile(id)),
    share: () => change("share", access, ({ cid, shareTo }) => kit.kavachShare(cid, { shareTo })),
    revoke: () => change("revoke", access, ({ cid, revokeTo }) => kit.kavachRevoke(cid, { revokeTo })),
    setConditions: () =>
      change("setConditions", access, ({ cid, ...rules }) =>
        kit.kavachSetAccessConditions(cid, rules as KitOptions<SetAccessConditionsOptions>),
      ),
    repair: () => change("repair", health, ({ cid }) => kit.kavachRepair(cid)),
    createName: () => change("createName", names, () => kit.ipnsGenerateKey()),
    publishName: () => change("publishName", names, ({ cid, keyName }) => kit.ipnsPublishRecord({ cid, keyName })),
    removeName: () => change("removeName", names, ({ keyName }) => kit.ipnsRemoveKey(keyName)),
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
