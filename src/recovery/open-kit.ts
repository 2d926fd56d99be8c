import type { Source } from "../transfer/upload/source.ts";
import { copySource } from "../transfer/upload/source.ts";
import { checkOptions } from "../validation/check-options.ts";
import type { OpenKitOptions, RecoveryKit } from "./kit-options.ts";

const openKitNames = "signal,identity,passphrase";

/**
 * Opens a recovery kit: an age file of {@link makeRecoveryKit}, or a folder of those that encrypted uploads have added.
 * Opens what can be opened, and reports the rest in `unread`. Names and sizes are unverified: whoever knows the recipient
 * can add to a kit.
 *
 * @param source - in Node a path; bytes, a Blob or a stream; or several of these. Of a folder, the files `*.age` are read
 * @throws `INVALID_OPTION`, `INVALID_SOURCE`, `ABORTED`; if no file of the kit can be read, why not the first one:
 * `SOURCE_UNREADABLE`; `CANNOT_DECRYPT` for a wrong identity or passphrase and for a damaged or truncated file
 * (`details.file`); `INVALID_KIT` for other content than a kit's; `COMMITMENT_MISMATCH` for a key that does not belong to
 * its file
 *
 * @example
 * const kit = await openRecoveryKit("./kit.age", { identity });
 * for (const { cid } of kit.entries) await decrypt(cid, { key: kit.keys(cid), to: `./${cid}` });
 */
export async function openRecoveryKit(source: Source, options: OpenKitOptions): Promise<RecoveryKit> {
  options = checkOptions(options, openKitNames);
  source = copySource(source);
  const { readKit } = await import("./on-demand.ts");
  return readKit(source, options);
}
