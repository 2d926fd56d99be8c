import type { UploadedFiles } from "keeplight";
import { type callSchema, invalidSource, type Resolved, relay, type SourceFile } from "keeplight/parts";
import { checkFiles } from "./check-files.ts";
import { uploadTooLarge } from "./errors.ts";
import { countFormBytes, type OpenForm } from "./form.ts";
import type { ResolvedLimits } from "./limits.ts";
import { readUploadRequest } from "./upload-request.ts";

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
