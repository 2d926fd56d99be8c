import { isKeeplightError } from "keeplight";
import type { QueryKey } from "./keys.ts";

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
  /** Repeats only what may succeed next time: never a wallet's window. */
  retry(failures: number, error: Error): boolean;
}

const MAX_RETRIES = 3;

/** Failures of the connection. A service's refusal stays one, and a wallet is not to be opened again and again. */
const PASSING = new Set<string>(["NETWORK", "TIMEOUT"]);

export function retry(failures: number, error: Error): boolean {
  return failures < MAX_RETRIES && isKeeplightError(error) && PASSING.has(error.code);
}

export function toQuery<Value>(queryKey: QueryKey, load: (signal: AbortSignal) => Promise<Value>): Query<Value> {
  return { queryKey, queryFn: ({ signal }) => load(signal), retry };
}
