import type { Sink } from "../types.ts";

/** Gathers a Blob, whose bytes Node keeps in memory. */
export async function blobSink(): Promise<Sink<Blob>> {
  let pieces: Uint8Array<ArrayBuffer>[] = [];
  return {
    async write(piece) {
      pieces.push(piece as Uint8Array<ArrayBuffer>);
    },
    commit: async () => new Blob(pieces),
    async abandon() {
      pieces = [];
    },
  };
}
