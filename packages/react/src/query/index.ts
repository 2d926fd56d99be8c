export { createQueries, type QueriesOptions } from "./create-queries.ts";
export type { QueryKey } from "./keys.ts";
export type { CacheClient, Mutation, MutationContext } from "./mutation.ts";
export type {
  DeleteFileVariables,
  FilesQuery,
  FileVariables,
  ProofResult,
  Queries,
  RevokeVariables,
  ShareVariables,
  UploadEncryptedVariables,
  UploadVariables,
} from "./queries.ts";
export type { Query, QueryContext } from "./query.ts";
