import { optional, signal, unchecked } from "../../base/checks.ts";
import { invalidOption } from "../../base/errors/input.ts";
import { type OptionSchema, resolveOptions } from "../../base/operation.ts";
import { copySource, type Source } from "../upload/source.ts";
import { passphrase } from "./make-kit.ts";
import type { RecoveryKit } from "./read-kit.ts";

/** Options of {@link openRecoveryKit}. */
export type OpenKitOptions = {
  /** Ends the call. @default none */
  signal?: AbortSignal | undefined;
} & (
  | {
      /** The age identity (`AGE-SECRET-KEY-1…`) that the kit was made for. */
      identity: string;
      /** Excluded by `identity`. */
      passphrase?: undefined;
    }
  | {
      /** The passphrase that the kit was made with. */
      passphrase: string;
      /** Excluded by `passphrase`. */
      identity?: undefined;
    }
);

const schema = {
  signal,
  identity: unchecked<string>(),
  passphrase: optional(passphrase),
} satisfies OptionSchema<OpenKitOptions>;

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
  const { signal, identity, passphrase } = resolveOptions(schema, options);
  if (identity !== undefined && passphrase !== undefined) throw invalidOption("passphrase", "nothing beside identity");
  source = copySource(source);
  const { readKit } = await import("./lazy.ts");
  return readKit(source, passphrase === undefined ? { identity: identity ?? "" } : { passphrase }, signal);
}
