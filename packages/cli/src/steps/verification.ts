import type { DownloadReport } from "keeplight";
import type { Invocation } from "../frame/invocation.ts";

/** Options of a download by `--unverified`, and what it reports. */
interface Verification {
  options: { verifyCid: boolean; onDownloaded: (report: DownloadReport) => void };
  /** Returns what proved the bytes; warns if nothing did. */
  check(): NonNullable<DownloadReport["by"]> | false;
}

/** Watches how a download is verified. */
export function watchVerification({ flag, output }: Invocation): Verification {
  let report: DownloadReport | undefined;
  return {
    options: {
      verifyCid: !flag("unverified"),
      onDownloaded(seen) {
        report = seen;
      },
    },
    check() {
      if (!report?.verified) output.warn("Nothing proves that these bytes are those of the content id.");
      return report?.by ?? false;
    },
  };
}
