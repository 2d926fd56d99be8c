/** Wraps a journal's key by one means, and unwraps it. */
export interface Slot {
  kind: string;
  /** @param journal - id of the journal */
  wrap(journal: string, key: Uint8Array<ArrayBuffer>): Promise<string>;
  /** Throws if this means does not open what is wrapped. */
  unwrap(journal: string, wrapped: string): Promise<Uint8Array<ArrayBuffer>>;
}
