import { useCallback } from "react";
import type { DecryptOptions, KeyReport, Progress } from "../index.ts";
import { merged, type Without } from "./call-options.ts";
import { useKit } from "./kit-provider.ts";
import { revokeUrl, type ShownFile, showFile } from "./shown-file.ts";
import { type TaskControls, useLatest, useTask } from "./use-task.ts";

/** A file that was decrypted. */
export interface DecryptedFile extends ShownFile {
  /** How the key nodes did; missing where the key was given. */
  report?: KeyReport;
}

/** Options of {@link useDecrypt}. */
export type UseDecryptOptions = Without<DecryptOptions, "signal" | "onProgress" | "onKeyRecovered"> & {
  /** MIME type to give to the Blob, without which a page does not know how to show it. Default none. */
  type?: string | undefined;
};

/** What {@link useDecrypt} gives. */
export interface UseDecrypt extends TaskControls<DecryptedFile, Progress> {
  /** Decrypts a file in place of what was decrypted before; `undefined` if that fails, which `state` tells. */
  decrypt(cid: string, options?: UseDecryptOptions): Promise<DecryptedFile | undefined>;
}

/**
 * Recovers a file's key and decrypts it into a Blob with an object URL, which is revoked when it is not shown
 * any more.
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
    (cid: string, own: UseDecryptOptions = {}) =>
      start(async ({ signal, tell }) => {
        const { type, ...rest } = merged(latest.current, own);
        let report: KeyReport | undefined;
        const opened = await kit.decrypt(cid, {
          ...rest,
          as: "blob",
          signal,
          onProgress: tell,
          onKeyRecovered: (heard) => {
            report = heard;
          },
        });
        return { ...showFile(cid, opened, type), ...(report ? { report } : {}) };
      }),
    [start, kit, latest],
  );
  return { ...controls, decrypt };
}
