/**
 * A map that outlives its process: a change is written before the call returns, so that it may be answered. Values are
 * replaced, and never changed in place.
 */
export interface StoredMap<Value> {
  readonly size: number;
  get(key: string): Value | undefined;
  has(key: string): boolean;
  /** In the order in which their keys were added. */
  values(): IterableIterator<Value>;
  keys(): IterableIterator<string>;
  set(key: string, value: Value): unknown;
  delete(key: string): boolean;
}

/** What a network knows besides the content: maps by their names. */
export interface State {
  /** Returns a map; its values are what was stored under this name, as JSON has it. */
  map<Value>(name: string): StoredMap<Value>;
}

/** Creates a state that ends with its process. */
export function createMemoryState(): State {
  return { map: () => new Map() };
}
