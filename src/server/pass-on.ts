import { invalidSource, uploadTooLarge } from "../errors/input.ts";
import { aborted } from "../errors/transport.ts";
import type { ResolvedCall } from "../options.ts";
import type { SourceFile } from "../platform/types.ts";
import { relay } from "../transfer/upload/relay.ts";
import type { Route } from "../transfer/upload/upload-access.ts";
import type { UploadedFiles } from "../transfer/upload/upload-response.ts";
import { checkFiles } from "./check-files.ts";
import type { ResolvedLimits } from "./limits.ts";
import { MAX_HEAD_BYTES, readBoundary, readParts } from "./multipart-parts.ts";
import { readBody } from "./read-body.ts";
import { readUploadRequest } from "./upload-request.ts";

/**
 * Passes the files of a request on to the upload node while they arrive.
 *
 * @throws `INVALID_SOURCE`, `INVALID_OPTION`, `FILE_TOO_LARGE`, `UPLOAD_REFUSED`, `DUPLICATE_NAME`, `TIMEOUT`, `ABORTED`,
 * what `relay` throws
 */
export async function passOn(
  request: Request,
  limits: ResolvedLimits,
  { bearer, endpoints }: Pick<Route, "bearer"> & Pick<ResolvedCall, "endpoints">,
): Promise<UploadedFiles> {
  const { signal } = request;
  const { query, headers, isEncrypted } = readUploadRequest(request);
  const boundary = readBoundary(request.headers.get("content-type"));
  refuseAnnounced(request, limits);
  if (!request.body) throw invalidSource("it is empty");

  const facts = { method: request.method, url: new URL(request.url).pathname };
  const body = readBody(request.body, limits, facts);
  const stop = () => body.stop(aborted(signal.reason));
  signal.addEventListener("abort", stop, { once: true });
  const files = checkFiles(readParts(body, boundary), limits, isEncrypted);

  async function* allFiles(first: SourceFile, end: AbortSignal): AsyncGenerator<SourceFile> {
    end.addEventListener("abort", stop, { once: true });
    yield first;
    yield* files;
  }
  try {
    // No connection is opened for a request without a file.
    const { value: first } = await files.next();
    if (!first) throw invalidSource("it is empty");
    const route = { base: endpoints.upload, path: "/api/v0/add", query, bearer, headers };
    const { timeoutMs, idleTimeoutMs } = limits;
    const call = { signal, timeoutMs, idleTimeoutMs, endpoints };
    return await relay({ files: (end) => allFiles(first, end), route }, call);
  } finally {
    signal.removeEventListener("abort", stop);
    stop();
  }
}

/** Refuses, unread, a body that announces more than files of the limit and their heads take. */
function refuseAnnounced({ headers }: Request, { maxBytes, maxFiles }: ResolvedLimits): void {
  const length = headers.get("content-length") ?? "0";
  if (!/^\d+$/.test(length)) throw invalidSource("its length is no number");
  if (Number(length) > maxBytes + (maxFiles + 1) * 2 * MAX_HEAD_BYTES) throw uploadTooLarge(maxBytes);
}
