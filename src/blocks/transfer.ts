import { notify } from "../async/notify.ts";
import { CHUNK_PROFILE_FORM, parseChunkProfile } from "../cid/chunk-profile.ts";
import { invalidOption } from "../errors/input.ts";
import type { CallOptions } from "../options.ts";
import { writeAll } from "../streams/write-all.ts";
import { checkBoolean } from "../validation/boolean.ts";
import type { KeptStart } from "./kept-start.ts";
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
  /** Passes the report to the caller. */
  report(): void;
}

/** How to transfer a file. */
export interface TransferSettings {
  /** How many bytes of the file the transform removes; if any, it fails for a truncated file. @default 0 */
  overhead?: number;
  /** Where the start of the file is kept that earlier calls have received. */
  kept?: KeptStart | undefined;
  progress: { report(phase: "downloading", loaded: number, total: number | undefined): void };
}

/** Options of a call that transfers a file. */
interface TransferOptions extends CallOptions {
  verifyCid?: boolean | undefined;
  chunkProfile?: string | undefined;
  onDownloaded?: ((report: DownloadReport) => void) | undefined;
}

/** Prepares to transfer a file; nothing is sent yet. Throws `INVALID_OPTION`, and as {@link openWholeFile}. */
export function openTransfer(cid: string, options: TransferOptions, settings: TransferSettings): Transfer {
  const { verifyCid: verify = true, chunkProfile, onDownloaded } = options;
  const { overhead = 0, kept, progress } = settings;
  checkBoolean("verifyCid", verify);
  const profile = parseChunkProfile(chunkProfile);
  if (chunkProfile !== undefined && !profile) throw invalidOption("chunkProfile", CHUNK_PROFILE_FORM);
  let current: TransferTarget | undefined;
  const file = openWholeFile(cid, options, {
    verify,
    profile,
    provesEnd: overhead > 0,
    kept,
    onSize: (bytes) => current?.announce?.(bytes - overhead),
    onLoaded(bytes, total) {
      if (total !== undefined) kept?.expect(total);
      progress.report("downloading", bytes, total);
    },
  });
  return {
    async into(target, transform = (chunks) => chunks) {
      current = target;
      for (;;) {
        try {
          return await writeAll(target, transform(file.chunks()), options.signal);
        } catch (error) {
          if (!file.canStartOver(error)) throw error;
          await target.restart();
        }
      }
    },
    report: () => notify(onDownloaded, file.report()),
  };
}
