import type { DecryptOptions, DownloadOptions, KeyReport, KitOptions, Progress } from "keeplight";
import { copyOptions } from "keeplight/parts";
import { useCallback } from "react";
import { type DistributiveOmit, mergeOptions } from "./bound-kit.ts";
import { useKit } from "./kit-provider.ts";
import { useLatest } from "./store.ts";
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

/** A decrypted file. */
export interface DecryptedFile extends ShownFile {
  /** How each key node responded; missing if the key was passed in. */
  report?: KeyReport;
}

/** Options of {@link useDecrypt}. */
export type UseDecryptOptions = DistributiveOmit<
  KitOptions<DecryptOptions>,
  "signal" | "onProgress" | "onKeyRecovered"
> & {
  /** MIME type of the Blob; without it a page does not know how to show the file. @default none */
  type?: string | undefined;
};

/** What {@link useDecrypt} returns. */
export interface UseDecrypt extends TaskControls<DecryptedFile, Progress> {
  /** Decrypts a file in place of the previous one. Returns `undefined` if that fails; the error is in `state`. */
  decrypt(cid: string, options?: UseDecryptOptions): Promise<DecryptedFile | undefined>;
}

/**
 * Recovers a file's key and decrypts the file into a Blob with an object URL, which is revoked when the file is no
 * longer shown.
 *
 * @example
 * const { state, decrypt } = useDecrypt();
 * <button onClick={() => decrypt(cid, { type: "image/png" })}>Show</button>
 * {state.status === "done" && <img src={state.result.url} alt="" />}
 */
export function useDecrypt(options: UseDecryptOptions = {}): UseDecrypt {
  const kit = useKit();
  const latest = useLatest(options);
  const { start, ...controls } = useTask<DecryptedFile, Progress>(revokeUrl, kit);
  const decrypt = useCallback(
    (cid: string, given: UseDecryptOptions = {}) => {
      // A retry is of the same.
      const callOptions = copyOptions(given);
      return start(async ({ signal, report }) => {
        const { type, ...rest } = mergeOptions(latest.current, callOptions);
        let keyReport: KeyReport | undefined;
        const blob = await kit.decrypt(cid, {
          ...rest,
          as: "blob",
          signal,
          onProgress: report,
          onKeyRecovered: (recovered) => {
            keyReport = recovered;
          },
        });
        return { ...showFile(cid, blob, type), ...(keyReport ? { report: keyReport } : {}) };
      });
    },
    [start, kit, latest],
  );
  return { ...controls, decrypt };
}

/** A file that a page can show. */
export interface ShownFile {
  /** Of the stored file. */
  cid: string;
  /** Kept outside the heap if it is large. */
  blob: Blob;
  /** Object URL of `blob`, valid until the next file, `reset()`, another kit, or unmount. */
  url: string;
}

/** Creates an object URL for a file; `type` is the MIME type of its Blob. */
function showFile(cid: string, bytes: Blob, type: string | undefined): ShownFile {
  const blob = type === undefined ? bytes : bytes.slice(0, bytes.size, type);
  return { cid, blob, url: URL.createObjectURL(blob) };
}

/** Releases a file that is no longer shown. */
function revokeUrl({ url }: ShownFile): void {
  URL.revokeObjectURL(url);
}
