import type { StorageClass } from "keeplight";
import {
  boolean,
  type Check,
  checkToken,
  invalidOption,
  type OptionSchema,
  type Resolved,
  wholeNumber,
} from "keeplight/parts";

/** What one request may upload. */
export interface UploadLimits {
  /** Bytes of all files together. A request that announces more is refused unread. @default 104,857,600 (100 MiB) */
  maxBytes?: number | undefined;
  /** Number of files. @default 100 */
  maxFiles?: number | undefined;
  /**
   * Accepted media types, such as `application/pdf` or `image/*`. A file must also start with the bytes of its type,
   * for the usual types that have such a signature; `image/*`, `audio/*`, `video/*` and `font/*` accept no other types,
   * such as `image/svg+xml`, which may run scripts and has to be listed. The extension of its name must be that of an
   * accepted type, too, because gateways choose the type by it; an unknown extension is refused unless the file's type is
   * listed itself. What starts with a tag, as pages do, is accepted only as XML, or if `text/html` is listed, too. The
   * type of an encrypted file is `application/octet-stream`, with any extension.
   *
   * @default all
   */
  types?: readonly string[] | undefined;
  /**
   * Whether files may be stored as a folder: by paths in their names, or by `wrapWithDirectory`. A gateway shows a folder
   * with an `index.html` as a site.
   *
   * @default false
   */
  folders?: boolean | undefined;
  /** Storage classes that a client may name. Without a name the network chooses one. @default none */
  storage?: readonly StorageClass[] | undefined;
  /** Milliseconds until everything must have arrived and be stored. @default 600,000 (10 minutes) */
  timeoutMs?: number | undefined;
  /** Milliseconds for which the client, or the network, may send or take nothing. @default 60,000 */
  idleTimeoutMs?: number | undefined;
}

/** What a check names is an option of the handler. */
function limit<Value>(check: Check<Value>): Check<Value> {
  return (value, name) => check(value, `limits.${name}`);
}

export const limitSchema = {
  maxBytes: limit(wholeNumber(100 * 1024 * 1024)),
  maxFiles: limit(wholeNumber(100, 1)),
  types: limit((types = ["*/*"], name): readonly string[] => {
    const isType = (type: unknown) => typeof type === "string" && /^(?:\*\/\*|[\w.+-]+\/(?:\*|[\w.+-]+))$/.test(type);
    if (!Array.isArray(types) || !types.every(isType)) {
      throw invalidOption(name, "a list of media types, such as application/pdf or image/*");
    }
    return types.map((type: string) => type.toLowerCase());
  }),
  folders: limit(boolean(false)),
  storage: limit((storage = [], name) => {
    if (!Array.isArray(storage)) throw invalidOption(name, "an array of storage classes");
    return storage.map((one) => checkToken(name, one));
  }),
  timeoutMs: limit(wholeNumber(600_000, 1)),
  idleTimeoutMs: limit(wholeNumber(60_000, 1)),
} satisfies OptionSchema<UploadLimits>;

export type ResolvedLimits = Resolved<typeof limitSchema>;
