import type { UploadedFiles } from "keeplight";
import { type callSchema, invalidSource, type Resolved, relay, type SourceFile } from "keeplight/parts";
import { checkFiles } from "./check-files.ts";
import { folderRefused, uploadTooLarge } from "./errors.ts";
import { countFormBytes, type OpenForm } from "./form.ts";
import type { ResolvedLimits } from "./limits.ts";

/** Where the files are passed on to. */
interface UploadTarget {
  /** The network's API key. */
  bearer: string;
  endpoints: Resolved<typeof callSchema>["endpoints"];
}

/**
 * Passes the files of a request on to the upload node while they arrive.
 *
 * @throws `INVALID_SOURCE`, `FILE_TOO_LARGE`, `UPLOAD_REFUSED`, `DUPLICATE_NAME`, `TIMEOUT`, `ABORTED`,
 * what `relay` throws
 */
export async function passOn(
  request: Request,
  form: OpenForm,
  limits: ResolvedLimits,
  { bearer, endpoints }: UploadTarget,
): Promise<UploadedFiles> {
  const { query, headers, isEncrypted } = readUploadRequest(request, limits);
  refuseAnnounced(request, limits);
  const files = checkFiles(form.files(limits), limits, isEncrypted);

  async function* allFiles(first: SourceFile, end: AbortSignal): AsyncGenerator<SourceFile> {
    end.addEventListener("abort", form.close, { once: true });
    yield first;
    yield* files;
  }
  // No connection is opened for a request without a file.
  const { value: first } = await files.next();
  if (!first) throw invalidSource("it is empty");
  const route = { base: endpoints.upload, path: "/api/v0/add", query, bearer, headers };
  const { timeoutMs, idleTimeoutMs } = limits;
  const call = { signal: request.signal, timeoutMs, idleTimeoutMs, endpoints };
  return relay({ files: (end) => allFiles(first, end), route }, call);
}

/** Refuses, unread, a body that announces more than a form with files of the limit takes. */
function refuseAnnounced({ headers }: Request, { maxBytes, maxFiles }: ResolvedLimits): void {
  const length = headers.get("content-length") ?? "0";
  if (!/^\d+$/.test(length)) throw invalidSource("its length is no number");
  if (Number(length) > maxBytes + countFormBytes(maxFiles)) throw uploadTooLarge(maxBytes);
}

/** What a request says of its files, besides their form; see `send` and `sendEncrypted`, which it comes from. */
interface UploadRequest {
  query: Record<string, string>;
  headers: Record<string, string>;
  isEncrypted: boolean;
}

const allowedValues = { "cid-version": ["0", "1"], "wrap-with-directory": ["false", "true"] } as const;

/**
 * Reads the options of an upload, and nothing else that a client might have added.
 *
 * @throws `INVALID_SOURCE`, `UPLOAD_REFUSED` for a folder that the limits exclude
 */
function readUploadRequest({ url, headers }: Request, { folders }: ResolvedLimits): UploadRequest {
  const { searchParams } = new URL(url);
  const query: Record<string, string> = { "cid-version": "1" };
  for (const [name, allowed] of Object.entries(allowedValues)) {
    const value = searchParams.get(name);
    if (value === null) continue;
    if (!(allowed as readonly string[]).includes(value)) throw invalidSource(`${name} is not ${allowed.join(" or ")}`);
    query[name] = value;
  }
  if (query["wrap-with-directory"] === "true" && !folders) throw folderRefused();
  const isEncrypted = headers.get("encryption") === "true";
  const isText = isEncrypted && headers.get("mime-type") === "text/plain";
  return {
    query,
    headers: { ...(isEncrypted ? { Encryption: "true" } : {}), ...(isText ? { "Mime-Type": "text/plain" } : {}) },
    isEncrypted,
  };
}
