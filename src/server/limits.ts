import { invalidOption } from "../errors/input.ts";
import { checkBoolean } from "../validation/boolean.ts";
import { checkOptions } from "../validation/check-options.ts";
import { wholeNumber } from "../validation/number.ts";

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
  /** Milliseconds until everything must have arrived and be stored. @default 600,000 (10 minutes) */
  timeoutMs?: number | undefined;
  /** Milliseconds for which the client, or the network, may send or take nothing. @default 60,000 */
  idleTimeoutMs?: number | undefined;
}

/** {@link UploadLimits} with all defaults filled in. */
export type ResolvedLimits = Required<{ [Name in keyof UploadLimits]: NonNullable<UploadLimits[Name]> }>;

const defaultLimits: ResolvedLimits = {
  maxBytes: 100 * 1024 * 1024,
  maxFiles: 100,
  types: ["*/*"],
  folders: false,
  timeoutMs: 600_000,
  idleTimeoutMs: 60_000,
};

const limitNames = "maxBytes,maxFiles,types,folders,timeoutMs,idleTimeoutMs";

/** Fills in the limits that are not given; throws `INVALID_OPTION`. */
export function resolveLimits(limits: UploadLimits, defaults: ResolvedLimits = defaultLimits): ResolvedLimits {
  limits = checkOptions(limits, limitNames);
  checkBoolean("limits.folders", limits.folders);
  return {
    maxBytes: wholeNumber("limits.maxBytes", limits.maxBytes, defaults.maxBytes, 0),
    maxFiles: wholeNumber("limits.maxFiles", limits.maxFiles, defaults.maxFiles, 1),
    types: checkTypes(limits.types ?? defaults.types),
    folders: limits.folders ?? defaults.folders,
    timeoutMs: wholeNumber("limits.timeoutMs", limits.timeoutMs, defaults.timeoutMs, 1),
    idleTimeoutMs: wholeNumber("limits.idleTimeoutMs", limits.idleTimeoutMs, defaults.idleTimeoutMs, 1),
  };
}

function checkTypes(types: unknown): readonly string[] {
  const isType = (type: unknown) => typeof type === "string" && /^(?:\*\/\*|[\w.+-]+\/(?:\*|[\w.+-]+))$/.test(type);
  if (!Array.isArray(types) || !types.every(isType)) {
    throw invalidOption("limits.types", "a list of media types, such as application/pdf or image/*");
  }
  return types.map((type: string) => type.toLowerCase());
}
