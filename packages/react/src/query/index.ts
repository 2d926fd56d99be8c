export { createQueries, type QueriesOptions } from "./create-queries.ts";
export type {
  CacheClient,
  DeleteFileVariables,
  FilesQuery,
  FileVariables,
  Mutation,
  MutationContext,
  ProofResult,
  Queries,
  Query,
  QueryContext,
  QueryKey,
  RevokeVariables,
  ShareVariables,
  UploadEncryptedVariables,
  UploadVariables,
} from "./queries.ts";
