import { uploadBody } from "#platform";
import type { CidVersion } from "../../cid/content-id.ts";
import { DEFAULT_CID_VERSION } from "../../config/limits.ts";
import { isKeeplightError, withDetails } from "../../errors/base.ts";
import { invalidOption } from "../../errors/input.ts";
import { aborted } from "../../errors/transport.ts";
import { exchange } from "../../http/client.ts";
import { assertSuccess, type TextResponse } from "../../http/response.ts";
import type { ResolvedCall } from "../../options.ts";
import type { SourceFile, UploadBody } from "../../platform/types.ts";
import type { ProgressReporter } from "../progress.ts";

export type { CidVersion };

/** One request to the upload node. */
export interface Upload {
  files: readonly SourceFile[];
  apiKey: string;
  cidVersion: CidVersion | undefined;
  /** Whether to put everything into a folder without a name; sent only if it makes a difference. */
  wrapWithDirectory: boolean | undefined;
  headers?: Record<string, string>;
  /** The endpoint that accepts an archive of blocks instead of files. */
  path?: "/api/v0/dag/import";
  progress: ProgressReporter;
}

/**
 * Sends files to the upload node in one multipart request and returns its successful response.
 *
 * @throws what the sources throw; `HTTP_STATUS`, `NETWORK`, `TIMEOUT`, `ABORTED`, `RESPONSE_TOO_LARGE`; with
 * `details.bodySent` if everything was sent and only the response is missing: the files may well be stored
 */
export async function send(upload: Upload, call: ResolvedCall): Promise<TextResponse> {
  const response = await sendBody(upload, call, call.endpoints.upload);
  return response ?? ((await sendBody(upload, call, undefined)) as TextResponse);
}

/** Returns `undefined` if the service does not accept a body that is generated while it is sent; nothing was read then. */
async function sendBody(
  upload: Upload,
  call: ResolvedCall,
  streamTo: string | undefined,
): Promise<TextResponse | undefined> {
  const { files, progress } = upload;
  const total = sumSizes(files);
  const body = await uploadBody(files, {
    signal: call.signal,
    streamTo,
    onPrepared: (bytes) => progress.report("preparing", bytes, total),
    onSent: (bytes) => progress.report("uploading", Math.min(bytes, total ?? bytes), total),
  });
  try {
    const response = await exchange(
      {
        method: "POST",
        base: call.endpoints.upload,
        path: upload.path ?? "/api/v0/add",
        ...(upload.path ? {} : { query: toQuery(upload) }),
        bearer: upload.apiKey,
        headers: upload.headers ?? {},
        signal: call.signal,
        timeoutMs: call.timeoutMs,
        idleTimeoutMs: call.idleTimeoutMs,
      },
      body,
    );
    assertSuccess(response, "request");
    return response;
  } catch (error) {
    if (isKeeplightError(error, "NETWORK") && body.isUnread?.()) return undefined;
    throw await translateSendError(error, body, call.signal);
  } finally {
    await body.dispose();
  }
}

/** If the source stream failed, returns its error instead of the network error that it caused. */
async function translateSendError(
  thrown: unknown,
  body: UploadBody,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const error = signal?.aborted ? aborted(signal.reason) : thrown;
  if (!isKeeplightError(error)) return error;
  const failure = error.code === "NETWORK" ? await body.failure() : undefined;
  if (failure !== undefined) return failure;
  // A refusal is final, but a 5xx may come from a gateway that timed out while the node behind it continued.
  const refused = error.code === "HTTP_STATUS" && error.details.status < 500;
  if (!body.complete() || refused) return error;
  return withDetails(error, { ...error.details, bodySent: true });
}

/** Returns the version to request; throws `INVALID_OPTION` for one that does not exist. */
export function checkCidVersion(cidVersion: unknown = DEFAULT_CID_VERSION): CidVersion {
  if (cidVersion !== 0 && cidVersion !== 1) throw invalidOption("cidVersion", "0 or 1");
  return cidVersion;
}

function toQuery({ files, cidVersion, wrapWithDirectory }: Upload): Record<string, string> {
  const wrap = wrapWithDirectory ?? (files.length > 1 ? false : undefined);
  return {
    "cid-version": String(checkCidVersion(cidVersion)),
    ...(wrap === undefined ? {} : { "wrap-with-directory": String(wrap) }),
  };
}

/** Sums the bytes of all files; `undefined` if one size is unknown. */
function sumSizes(files: readonly SourceFile[]): number | undefined {
  return files.reduce<number | undefined>(
    (sum, { size }) => (sum === undefined || size === undefined ? undefined : sum + size),
    0,
  );
}
