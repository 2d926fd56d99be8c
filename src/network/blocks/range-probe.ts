import type { Gateway } from "./gateway.ts";
import type { FileSource } from "./read-file.ts";

/** Finds out whether a file can be read in ranges, while its stream is being received. */
export interface RangeProbe {
  /** Whether it is known that it can. Starts to find out. */
  offersRanges(): boolean;
}

export function createRangeProbe(
  { facts, fetchRange }: Gateway,
  findTree: () => Promise<FileSource | undefined>,
  signal: AbortSignal,
): RangeProbe {
  let isTreeKnown = false;
  let isProbing = false;

  async function probe(): Promise<void> {
    const tree = await findTree();
    if (tree && facts.offersRanges === undefined) await fetchRange(tree.file, 0, 1, signal);
    isTreeKnown = tree !== undefined;
  }

  return {
    offersRanges() {
      // Whatever it fails for, the stream may still succeed.
      if (!isProbing) probe().catch(() => undefined);
      isProbing = true;
      return isTreeKnown && facts.offersRanges === true;
    },
  };
}
