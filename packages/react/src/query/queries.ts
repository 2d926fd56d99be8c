import type { VerifiedProof } from "@keeplight/proof";
import type {
  AccessRuleOptions,
  DeletedFile,
  FilePage,
  IpnsKey,
  IpnsPublishOptions,
  Kit,
  KitOptions,
  ShareOptions,
  Source,
  UploadEncryptedOptions,
  UploadOptions,
} from "keeplight";

/** What a call of the kit resolves with. */
type ResultOf<Name extends keyof Kit> = Kit[Name] extends (...args: never[]) => Promise<infer Value> ? Value : never;

/** What an upload is called with. */
export interface UploadVariables {
  /** What is uploaded. */
  source: Source;
  /** As for `upload` of the kit. @default none */
  options?: KitOptions<UploadOptions>;
}

/** What an encrypted upload is called with. */
export interface UploadEncryptedVariables {
  /** What is encrypted and uploaded. */
  source: Source;
  /** As for `uploadEncrypted` of the kit. @default none */
  options?: KitOptions<UploadEncryptedOptions>;
}

/** The file that is deleted. */
export interface DeleteFileVariables {
  /** Of its row in the listing. */
  id: string;
}

/** A file by its content id. */
export interface FileVariables {
  /** Content id of the file. */
  cid: string;
}

/** A file, and who may open it from then on. */
export interface ShareVariables extends FileVariables {
  /** One address or several. */
  shareTo: ShareOptions["shareTo"];
}

/** A file, and who may not open it any more. */
export interface RevokeVariables extends FileVariables {
  /** One address or several. */
  revokeTo: ShareOptions["shareTo"];
}

/** One page of the account's files, for `useInfiniteQuery`. */
export interface FilesQuery extends Omit<Query<FilePage>, "queryFn"> {
  /** Loads the page that follows the row with the id `pageParam`. */
  queryFn(context: QueryContext & { pageParam: string | undefined }): Promise<FilePage>;
  /** The first page follows no row. */
  initialPageParam: string | undefined;
  /** Returns the id of the last row; `undefined` after the last page. */
  getNextPageParam(page: FilePage, pages: readonly FilePage[]): string | undefined;
}

/** A proof, and what it proves. */
export interface ProofResult {
  /** As the network returned it. */
  proof: ResultOf<"getProof">;
  /** What was verified on this machine. */
  verified: VerifiedProof;
}

/** What {@link createQueries} returns. */
export interface Queries {
  /** The key of all queries: to invalidate or to remove them together. */
  all(): QueryKey;
  /** The files of the account, page by page: for `useInfiniteQuery`. */
  files(): FilesQuery;
  /** How much the account may store and has stored. */
  balance(): Query<ResultOf<"getBalance">>;
  /** The names of the account. */
  names(): Query<ResultOf<"ipnsListRecords">>;
  /** What the network knows of a file. */
  file(cid: string): Query<ResultOf<"getFileInfo">>;
  /** Who may open an encrypted file, and under which conditions. */
  access(cid: string): Query<ResultOf<"kavachGetAccessConditions">>;
  /**
   * How the key nodes keep a file's key. The kit's signer signs in for it: after a failure it is asked again only if the
   * query is mounted again, or by `refetch`.
   */
  health(cid: string): HealthQuery;
  /** The storage deals of a file. */
  deals(cid: string): Query<ResultOf<"getDealStatus">>;
  /** The storage proof of a file, its paths verified on this machine. */
  proof(cid: string): Query<ProofResult>;
  /** Uploads files unencrypted. */
  upload(): Mutation<UploadVariables, ResultOf<"upload">>;
  /** Encrypts and uploads files. */
  uploadEncrypted(): Mutation<UploadEncryptedVariables, ResultOf<"uploadEncrypted">>;
  /** Deletes a file. */
  deleteFile(): Mutation<DeleteFileVariables, DeletedFile>;
  /** Lets addresses open a file. */
  share(): Mutation<ShareVariables, ResultOf<"kavachShare">>;
  /** Takes addresses' access to a file away. */
  revoke(): Mutation<RevokeVariables, ResultOf<"kavachRevoke">>;
  /** Replaces the conditions of a file. */
  setConditions(): Mutation<FileVariables & AccessRuleOptions, ResultOf<"kavachSetAccessConditions">>;
  /** Saves new shards on the nodes that have lost theirs. */
  repair(): Mutation<FileVariables, ResultOf<"kavachRepair">>;
  /** Creates a name. */
  createName(): Mutation<void, IpnsKey>;
  /** Publishes a file under a name. */
  publishName(): Mutation<Pick<IpnsPublishOptions, "cid" | "keyName">, ResultOf<"ipnsPublishRecord">>;
  /** Removes a name. */
  removeName(): Mutation<Pick<IpnsPublishOptions, "keyName">, ResultOf<"ipnsRemoveKey">>;
}

/** What TanStack Query passes to a query. */
export interface QueryContext {
  /** Fires when nobody waits for the value any more. */
  signal: AbortSignal;
}

/** Options of a query: for `useQuery`, `useSuspenseQuery`, `queryClient.prefetchQuery` … */
export interface Query<Value> {
  /** Under which the value is cached. */
  queryKey: QueryKey;
  /** Loads the value. */
  queryFn(context: QueryContext): Promise<Value>;
  /** The kit has repeated already what may succeed, and a wallet's window is not to be opened again and again. */
  retry: false;
  /** Nothing is paused: the kit itself waits for the network. */
  networkMode: "always";
}

/** A query that a wallet's window may open for. */
export interface HealthQuery extends Query<ResultOf<"kavachInspect">> {
  /** Not after a failure. */
  refetchOnWindowFocus(query: QueryWithState): boolean;
  /** Not after a failure. */
  refetchOnReconnect(query: QueryWithState): boolean;
}

/** What TanStack Query says of a query. */
export interface QueryWithState {
  /** How it is now. */
  state: {
    /** Why it failed the last time; `null` if it did not. */
    error: unknown;
  };
}

/** What a mutation needs of a `QueryClient`. */
export interface CacheClient {
  /** Loads the queries again that have keys below this one. */
  invalidateQueries(filters: {
    /** The key, or how it starts. */
    queryKey: QueryKey;
  }): Promise<void>;
}

/** What TanStack Query passes to the listeners of a mutation, from 5.89 on. */
export interface MutationContext {
  /** The `QueryClient`. */
  client: CacheClient;
}

/** Options of a mutation, for `useMutation`. */
export interface Mutation<Variables, Value> {
  /** Identifies the mutations of one kind. */
  mutationKey: QueryKey;
  /** A call that pays, signs or stores something is not made again without its user, whatever the client's default is. */
  retry: false;
  /** Nothing is paused, so that no cache writes what is uploaded to its disk. */
  networkMode: "always";
  /** Makes the change. */
  mutationFn(variables: Variables): Promise<Value>;
  /** Invalidates the queries that the change concerns, also after a failure, which may have done a part of it. */
  onSettled(
    value: Value | undefined,
    error: Error | null,
    variables: Variables,
    result: unknown,
    context: MutationContext,
  ): Promise<void>;
}

/** `["keeplight", account, name]`, with the content id where there is one. */
export type QueryKey = readonly ["keeplight", string, ...string[]];
