import type { FilePage, Kit, KitDefaults, KitOptions, SetAccessConditionsOptions } from "keeplight";
import type { Mutation, Queries, Query, QueryKey, QueryWithState } from "./queries.ts";
import { type ChangingCall, staleAfter } from "./stale.ts";

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

/**
 * The kit itself waits for the network, and repeats what may succeed. A cache that paused mutations while it is offline would
 * write what is uploaded to its disk.
 */
const byKit = { networkMode: "always", retry: false } as const;

/** A person who has refused to sign is asked again only by a call, not because the page is shown again. */
const unlessFailed = ({ state }: QueryWithState) => state.error === null;

/** What the accounts of kits are called. */
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
export function createQueries<Defaults extends KitDefaults>(
  given: Kit<Defaults>,
  { account = getAccount(given) }: QueriesOptions = {},
): Queries {
  // Without an API key or a signer, calls that need one fail.
  const kit = given as unknown as Kit;
  const key = (...path: string[]): QueryKey => ["keeplight", account, ...path];
  const query = <Value>(path: readonly string[], load: (signal: AbortSignal) => Promise<Value>): Query<Value> => ({
    queryKey: key(...path),
    queryFn: ({ signal }) => load(signal),
    ...byKit,
  });
  const change = <Variables, Value>(
    name: string,
    call: ChangingCall,
    mutationFn: (variables: Variables) => Promise<Value>,
  ): Mutation<Variables, Value> => ({
    mutationKey: key(name),
    mutationFn,
    ...byKit,
    async onSettled(_, __, variables, ___, { client }) {
      const stale = staleAfter[call]((variables as { cid?: string } | undefined)?.cid);
      await Promise.all(stale.map((path) => client.invalidateQueries({ queryKey: key(...path) })));
    },
  });

  return {
    all: () => key(),

    files: () => ({
      queryKey: key("files"),
      queryFn: ({ signal, pageParam }) => kit.listFiles({ signal, lastKey: pageParam }),
      initialPageParam: undefined,
      getNextPageParam: findNextPage,
      ...byKit,
    }),
    balance: () => query(["balance"], (signal) => kit.getBalance({ signal })),
    names: () => query(["names"], (signal) => kit.ipnsListRecords({ signal })),
    file: (cid) => query(["file", cid], (signal) => kit.getFileInfo(cid, { signal })),
    access: (cid) => query(["access", cid], (signal) => kit.kavachGetAccessConditions(cid, { signal })),
    health: (cid) => ({
      ...query(["health", cid], (signal) => kit.kavachInspect(cid, { signal })),
      refetchOnWindowFocus: unlessFailed,
      refetchOnReconnect: unlessFailed,
    }),
    deals: (cid) => query(["deals", cid], (signal) => kit.getDealStatus(cid, { signal })),
    proof: (cid) =>
      query(["proof", cid], async (signal) => {
        const proof = await kit.getProof(cid, { signal });
        const { verifyProof } = await import("@keeplight/proof");
        return { proof, verified: await verifyProof(proof) };
      }),

    upload: () => change("upload", "upload", ({ source, options }) => kit.upload(source, options)),
    uploadEncrypted: () =>
      change("uploadEncrypted", "uploadEncrypted", ({ source, options }) => kit.uploadEncrypted(source, options)),
    deleteFile: () => change("deleteFile", "deleteFile", ({ id }) => kit.deleteFile(id)),
    share: () => change("share", "kavachShare", ({ cid, shareTo }) => kit.kavachShare(cid, { shareTo })),
    revoke: () => change("revoke", "kavachRevoke", ({ cid, revokeTo }) => kit.kavachRevoke(cid, { revokeTo })),
    setConditions: () =>
      change("setConditions", "kavachSetAccessConditions", ({ cid, ...rules }) =>
        kit.kavachSetAccessConditions(cid, rules as KitOptions<SetAccessConditionsOptions>),
      ),
    repair: () => change("repair", "kavachRepair", ({ cid }) => kit.kavachRepair(cid)),
    createName: () => change("createName", "ipnsGenerateKey", () => kit.ipnsGenerateKey()),
    publishName: () =>
      change("publishName", "ipnsPublishRecord", ({ cid, keyName }) => kit.ipnsPublishRecord({ cid, keyName })),
    removeName: () => change("removeName", "ipnsRemoveKey", ({ keyName }) => kit.ipnsRemoveKey(keyName)),
  };
}

/** Returns what the account of a kit is called in keys, unless it was given a name. */
export function getAccount(kit: object): string {
  const known = accounts.get(kit) ?? crypto.randomUUID();
  accounts.set(kit, known);
  return known;
}

/** Names the account of a kit in keys. */
export function setAccount(kit: object, account: string): void {
  accounts.set(kit, account);
}

/** The last row of a page is where the next one starts; a page without new rows is the last. */
function findNextPage(page: FilePage, pages: readonly FilePage[]): string | undefined {
  const loaded = pages.reduce((sum, { fileList }) => sum + fileList.length, 0);
  if (page.fileList.length === 0 || (page.totalFiles !== null && loaded >= page.totalFiles)) return undefined;
  const last = page.fileList.findLast(({ id }) => id !== "")?.id;
  // A service that returns the same rows again would be queried without end.
  const isKnown = pages.slice(0, -1).some(({ fileList }) => fileList.some(({ id }) => id === last));
  return isKnown ? undefined : last;
}
