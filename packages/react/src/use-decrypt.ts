import type { DecryptOptions, KeyReport, KitOptions, Progress } from "keeplight";
import { copyOptions } from "keeplight/parts";
import { useCallback } from "react";
import { type DistributiveOmit, mergeOptions } from "./call-options.ts";
import { useKit } from "./kit-provider.ts";
import { revokeUrl, type ShownFile, showFile } from "./shown-file.ts";
import { useLatest } from "./use-latest.ts";
import { type TaskControls, useTask } from "./use-task.ts";

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
