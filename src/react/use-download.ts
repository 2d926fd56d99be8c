import { useCallback } from "react";
import type { DownloadOptions, Progress } from "../index.ts";
import { useKit } from "./kit-provider.ts";
import { revokeUrl, type ShownFile, showFile } from "./shown-file.ts";
import { type TaskControls, useLatest, useTask } from "./use-task.ts";

/** Options of {@link useDownload}. */
export type UseDownloadOptions = Omit<DownloadOptions, "signal" | "onProgress"> & {
  /** MIME type to give to the Blob, without which a page does not know how to show it. Default none. */
  type?: string | undefined;
};

/** What {@link useDownload} gives. */
export interface UseDownload extends TaskControls<ShownFile, Progress> {
  /** Downloads a file in place of what was downloaded before; `undefined` if that fails, which `state` tells. */
  download(cid: string, options?: UseDownloadOptions): Promise<ShownFile | undefined>;
}

/** Downloads a file as it is stored into a Blob with an object URL, which is revoked when it is not shown any more. */
export function useDownload(options: UseDownloadOptions = {}): UseDownload {
  const kit = useKit();
  const latest = useLatest(options);
  const { start, ...controls } = useTask<ShownFile, Progress>(revokeUrl, kit);
  const download = useCallback(
    (cid: string, own: UseDownloadOptions = {}) =>
      start(async ({ signal, tell }) => {
        const { type, ...rest } = { ...latest.current, ...own };
        const blob = await kit.download(cid, { ...rest, as: "blob", signal, onProgress: tell });
        return showFile(cid, blob, type);
      }),
    [start, kit, latest],
  );
  return { ...controls, download };
}
