import type { Sink } from "../types.ts";

/** Collects a Blob, whose bytes Node keeps in memory. */
export async function blobSink(): Promise<Sink<Blob>> {
  let chunks: Uint8Array<ArrayBuffer>[] = [];
  return {
    async write(chunk) {
      chunks.push(chunk as Uint8Array<ArrayBuffer>);
    },
    commit: async () => new Blob(chunks),
    async abandon() {
      chunks = [];
    },
  };
}
