import type { ResolvedCall } from "../base/options.ts";
import type { SourceFile } from "../platform/types.ts";
import { loadOnDemand } from "../storage/load-on-demand.ts";
import { createHashers, listProfiles } from "../storage/upload/encrypted-cids.ts";

/** The content ids that a file may be stored under: which one depends on how an upload node splits it. */
export interface HashedFile {
  /** In version 1, the most usual one first. */
  cids: readonly string[];
  /** Whether a content id, in any version and base, is one of them. */
  has(cid: string): boolean;
  /** Reads another content id back, and returns whether it yields the bytes of the file. Throws what each gateway throws. */
  yields(cid: string, call: ResolvedCall): Promise<boolean>;
}

/**
 * Computes the content ids that a file may be stored under while its bytes are used for something else: `update` takes chunks,
 * which may be reused once it resolves, and `finish` returns the ids, their chunk profiles and the size.
 */
export const createFileHasher = () => createHashers(listProfiles(1));

/**
 * Computes the content ids that a file may be stored under. Memory use does not depend on the size.
 *
 * @param onRead - receives how many bytes are read
 * @throws what reading the file throws
 */
export async function hashFile(
  file: SourceFile,
  { signal = new AbortController().signal, onRead }: { signal?: AbortSignal | undefined; onRead(bytes: number): void },
): Promise<HashedFile> {
  const hashers = createFileHasher();
  let read = 0;
  for await (const chunk of file.open(signal, true)) {
    await hashers.update(chunk);
    read += chunk.length;
    onRead(read);
  }
  const expected = await hashers.finish();
  const { cids, has } = expected;
  return {
    cids,
    has,
    async yields(cid, call) {
      const { isStoredAs } = await loadOnDemand();
      return isStoredAs(cid, expected, 1, call);
    },
  };
}
