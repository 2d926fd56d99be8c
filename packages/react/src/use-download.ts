import type { DecryptOptions, DownloadOptions, KeyReport, Kit, KitOptions, Progress } from "keeplight";
import { copyOptions } from "keeplight/parts";
import { useCallback } from "react";
import type { DistributiveOmit } from "./bound-kit.ts";
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
  const { show: download, ...controls } = useShownFile<ShownFile, UseDownloadOptions>(options, fetchFile);
  return { ...controls, download };
}

async function fetchFile(kit: Kit, cid: string, options: BlobOptions): Promise<Fetched> {
  return { blob: await kit.download(cid, options) };
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
  const { show: decrypt, ...controls } = useShownFile<DecryptedFile, UseDecryptOptions>(options, decryptFile);
  return { ...controls, decrypt };
}

async function decryptFile(kit: Kit, cid: string, options: BlobOptions): Promise<Fetched> {
  let report: KeyReport | undefined;
  const onKeyRecovered = (recovered: KeyReport) => {
    report = recovered;
  };
  const blob = await kit.decrypt(cid, { ...options, onKeyRecovered });
  return report ? { blob, report } : { blob };
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

/** The options that the hook sets itself, with those of the call. */
interface BlobOptions {
  as: "blob";
  signal: AbortSignal;
  onProgress: (progress: Progress) => void;
}

type Fetched = Pick<DecryptedFile, "blob" | "report">;

/** One file at a time, by the provider's kit: another one takes its place, and the URL is then revoked. */
function useShownFile<File extends ShownFile, Options extends { type?: string | undefined }>(
  options: Options,
  fetchBlob: (kit: Kit, cid: string, options: BlobOptions) => Promise<Fetched>,
) {
  const kit = useKit();
  const latest = useLatest(options);
  const { store, controls } = useTask<File, Progress>(({ url }) => URL.revokeObjectURL(url), kit);
  const show = useCallback(
    (cid: string, given?: Options) => {
      // A retry is of the same.
      const callOptions = copyOptions(given);
      return store.start(async ({ signal, report }) => {
        const { type, ...own } = copyOptions({ ...latest.current, ...callOptions });
        const fetched = await fetchBlob(kit, cid, { ...own, as: "blob", signal, onProgress: report });
        const blob = type === undefined ? fetched.blob : fetched.blob.slice(0, fetched.blob.size, type);
        return { ...fetched, cid, blob, url: URL.createObjectURL(blob) } as ShownFile as File;
      });
    },
    [store, kit, latest, fetchBlob],
  );
  return { ...controls, show };
}
