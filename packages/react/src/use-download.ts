import type { DownloadOptions, Progress } from "keeplight";
import { copyOptions } from "keeplight/parts";
import { useCallback } from "react";
import { mergeOptions } from "./call-options.ts";
import { useKit } from "./kit-provider.ts";
import { revokeUrl, type ShownFile, showFile } from "./shown-file.ts";
import { useLatest } from "./use-latest.ts";
import { type TaskControls, useTask } from "./use-task.ts";

/** Options of {@link useDownload}. */
export type UseDownloadOptions = Omit<DownloadOptions, "signal" | "onProgress"> & {
  /** MIME type of the Blob; without it a page does not know how to show the file. @default none */
  type?: string | undefined;
};

/** What {@link useDownload} returns. */
export interface UseDownload extends TaskControls<ShownFile, Progress> {
  /** Downloads a file in place of the previous one. Returns `undefined` if that fails; the error is in `state`. */
  download(cid: string, options?: UseDownloadOptions): Promise<ShownFile | undefined>;
}

/**
 * Downloads a file, without decrypting it, into a Blob with an object URL, which is revoked when the file is no longer
 * shown.
 */
export function useDownload(options: UseDownloadOptions = {}): UseDownload {
  const kit = useKit();
  const latest = useLatest(options);
  const { start, ...controls } = useTask<ShownFile, Progress>(revokeUrl, kit);
  const download = useCallback(
    (cid: string, given: UseDownloadOptions = {}) => {
      // A retry is of the same.
      const callOptions = copyOptions(given);
      return start(async ({ signal, report }) => {
        const { type, ...rest } = mergeOptions(latest.current, callOptions);
        const blob = await kit.download(cid, { ...rest, as: "blob", signal, onProgress: report });
        return showFile(cid, blob, type);
      });
    },
    [start, kit, latest],
  );
  return { ...controls, download };
}
