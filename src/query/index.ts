export { createQueries, type Queries, type QueriesOptions } from "./create-queries.ts";
export type { QueryKey } from "./keys.ts";
export type { CacheClient, Mutation, MutationContext } from "./mutation.ts";
export type { Query, QueryContext } from "./query.ts";
