import { notify } from "../../base/async/abort.ts";
import type { ResolvedCall } from "../../base/options.ts";
import { readAll, writeAll } from "../../base/streams/reading.ts";
import { parseChunkProfile } from "../../formats/cid/chunk-profile.ts";
import type { PartialStart } from "./check-whole.ts";
import { type DownloadReport, openWholeFile } from "./read-whole.ts";

/** Where a file is written. */
interface TransferTarget {
  /** Throws if it cannot hold so many bytes. */
  announce?(bytes: number): void;
  write(chunk: Uint8Array): Promise<void>;
  /** Discards all that was written, and starts again. */
  restart(): Promise<void>;
}

type ChunkTransform = (chunks: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;

/** A file on its way from the gateways. */
export interface Transfer {
  /** Writes the file, through `transform`, to a target that may be committed only if this succeeds. Called once. */
  into(target: TransferTarget, transform?: ChunkTransform): Promise<void>;
  /** Fetches the rest of the file to where its start is kept, and nowhere else. Called once, instead. */
  complete(): Promise<void>;
  /** Passes the report to the caller. */
  report(): void;
}

/** How to transfer a file. */
export interface TransferSettings {
  /** How many bytes of the file the transform removes; if any, it fails for a truncated file. @default 0 */
  overhead?: number;
  /** Where the start of the file is kept that earlier calls have received. */
  partial?: PartialStart | undefined;
  progress: { report(phase: "downloading", loaded: number, total: number | undefined): void };
}

/** A call that transfers a file. */
export interface TransferCall extends ResolvedCall {
  verifyCid: boolean;
  chunkProfile?: string | undefined;
  onDownloaded?: ((report: DownloadReport) => void) | undefined;
}

/** Prepares to transfer a file; nothing is sent yet. Throws as {@link openWholeFile}. */
export function openTransfer(cid: string, call: TransferCall, settings: TransferSettings): Transfer {
  const { verifyCid: verify, chunkProfile, onDownloaded } = call;
  const { overhead = 0, partial, progress } = settings;
  const profile = parseChunkProfile(chunkProfile);
  let current: TransferTarget | undefined;
  const file = openWholeFile(cid, call, {
    verify,
    profile,
    provesEnd: overhead > 0,
    partial,
    onSize: (bytes) => current?.announce?.(bytes - overhead),
    onLoaded(bytes, total) {
      if (total !== undefined) partial?.expect(total);
      progress.report("downloading", bytes, total);
    },
  });

  /** Passes over the file until one pass succeeds, or no gateway is left. */
  async function repeat(pass: () => Promise<void>, restart?: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        return await pass();
      } catch (error) {
        if (!file.canStartOver(error)) throw error;
        await restart?.();
      }
    }
  }

  return {
    async into(target, transform = (chunks) => chunks) {
      current = target;
      await repeat(
        () => writeAll(target, transform(file.chunks()), call.signal),
        () => target.restart(),
      );
    },
    complete: () => repeat(() => readAll(file.chunks(), call.signal)),
    report: () => notify(onDownloaded, file.report()),
  };
}
