import type { PartialFile } from "../../platform/types.ts";

/** Where a file is written. */
export interface TransferTarget {
  /** Throws if it cannot hold so many bytes. */
  announce?(bytes: number): void;
  write(chunk: Uint8Array): Promise<void>;
  /** Called after the last byte; throws if the bytes are not right. */
  end?(): Promise<void>;
  /** Discards all that was written, and starts again. */
  restart(): Promise<void>;
}

/** The start of a file that earlier calls have received, which grows as more arrives. */
export interface PartialStart extends Pick<PartialFile, "size" | "read" | "truncate" | "write"> {
  /** Receives the size of the whole file, once it is known. */
  expect(size: number): void;
}

/** How to transfer a file. */
export interface TransferSettings {
  /** How many bytes of the file are not written to the target; if any, that fails for a truncated file. @default 0 */
  overhead?: number;
  /** Where the start of the file is kept that earlier calls have received. */
  partial?: PartialStart | undefined;
  progress: { report(phase: "downloading", loaded: number, total: number | undefined): void };
}

export type Output = ReturnType<typeof createOutput>;

/** Passes a file to its target, and keeps it if it has a `partial`. Errors of either end the call: no gateway has failed. */
export function createOutput(target: TransferTarget, { overhead = 0, partial, progress }: TransferSettings) {
  let position = 0;
  let failure: { error: unknown } | undefined;
  /** Whether the partial file ends at the position. */
  let isTruncated = false;

  async function run(work: () => void | Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      failure ??= { error };
      throw error;
    }
  }

  async function truncate(): Promise<void> {
    if (!isTruncated) await partial?.truncate(position);
    isTruncated = true;
  }

  async function pass(chunk: Uint8Array): Promise<void> {
    await target.write(chunk);
    position += chunk.length;
  }

  return {
    /** How many bytes were written. */
    position: () => position,
    /** Throws the error that ended the call, if one did. */
    throwIfFailed(): void {
      if (failure) throw failure.error;
    },
    /** Throws if the target cannot hold so many bytes, as a gateway states. That fails the gateway, not the call. */
    announce: (bytes: number): void => target.announce?.(bytes - overhead),
    /** Throws if the target cannot hold so many bytes, which the file is proved to have. */
    prepare: (bytes: number) => run(() => target.announce?.(bytes - overhead)),
    /** Reports how many bytes of the file have arrived. */
    report: (bytes: number, total: number | undefined) =>
      run(() => {
        if (total !== undefined) partial?.expect(total);
        progress.report("downloading", bytes, total);
      }),
    /** Writes bytes that were kept before. */
    writeKept: (chunk: Uint8Array) => run(() => pass(chunk)),
    /** Writes bytes that have just arrived, once they are kept. */
    write: (chunk: Uint8Array) =>
      run(async () => {
        // Not before there is something better.
        await truncate();
        await partial?.write(chunk);
        await pass(chunk);
      }),
    end: () =>
      run(async () => {
        await truncate();
        await target.end?.();
      }),
    async restart(): Promise<void> {
      position = 0;
      isTruncated = false;
      await target.restart();
    },
  };
}
