/** `["keeplight", account, name]`, with the content id where there is one. */
export type QueryKey = readonly ["keeplight", string, ...string[]];

/** Returns how the keys of one account are made. */
export function createKeys(account: string): (...path: string[]) => QueryKey {
  return (...path) => ["keeplight", account, ...path];
}
