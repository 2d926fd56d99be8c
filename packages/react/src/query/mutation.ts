import type { QueryKey } from "./keys.ts";

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

/**
 * @param listStale - the keys of what a change with these variables concerns
 */
export function toMutation<Variables, Value>(
  mutationKey: QueryKey,
  mutationFn: (variables: Variables) => Promise<Value>,
  listStale: (variables: Variables) => readonly QueryKey[],
): Mutation<Variables, Value> {
  return {
    mutationKey,
    mutationFn,
    async onSettled(_, __, variables, ___, { client }) {
      await Promise.all(listStale(variables).map((queryKey) => client.invalidateQueries({ queryKey })));
    },
  };
}
