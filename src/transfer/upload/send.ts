import { uploadBody } from "#platform";
import { DEFAULT_CID_VERSION } from "../../config/limits.ts";
import { isKeeplightError, withDetails } from "../../errors/base.ts";
import { invalidOption } from "../../errors/input.ts";
import { aborted } from "../../errors/transport.ts";
import { exchange } from "../../http/client.ts";
import { assertSuccess, type TextResponse } from "../../http/response.ts";
import type { ResolvedCall } from "../../options.ts";
import type { SourceFile, UploadBody } from "../../platform/types.ts";
import type { ProgressReporter } from "../progress.ts";

/** Version of a content id. */
export type CidVersion = 0 | 1;

/** One request to the upload node. */
export interface Upload {
  files: readonly SourceFile[];
  apiKey: string;
  cidVersion: CidVersion | undefined;
  /** Whether to put everything into a folder without a name; sent only where it matters. */
  wrapWithDirectory: boolean | undefined;
  headers?: Record<string, string>;
  /** Where the upload node takes an archive of blocks instead of files. */
  path?: "/api/v0/dag/import";
  progress: ProgressReporter;
}

/**
 * Sends files to the upload node in one multipart request and gives its successful answer.
 *
 * @throws what the sources throw; `HTTP_STATUS`, `NETWORK`, `TIMEOUT`, `ABORTED`, `RESPONSE_TOO_LARGE`; with
 * `details.bodySent` where everything was sent and only the answer is missing: it may well be stored
 */
export async function send(upload: Upload, call: ResolvedCall): Promise<TextResponse> {
  const { files, progress } = upload;
  const total = totalSize(files);
  const body = await uploadBody(files, {
    signal: call.signal,
    onPrepared: (bytes) => progress.report("preparing", bytes, total),
    onSent: (bytes) => progress.report("uploading", Math.min(bytes, total ?? bytes), total),
  });
  try {
    const answer = await exchange(
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
    assertSuccess(answer, "request");
    return answer;
  } catch (error) {
    throw await translateSendError(error, body, call.signal);
  } finally {
    await body.dispose();
  }
}

/** A request that broke because its source did is told as what happened to the source. */
async function translateSendError(
  thrown: unknown,
  body: UploadBody,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const error = signal?.aborted ? aborted(signal.reason) : thrown;
  if (!isKeeplightError(error)) return error;
  const failure = error.code === "NETWORK" ? await body.failure() : undefined;
  if (failure !== undefined) return failure;
  // A refusal is final, but a 5xx may come from a gateway that gave up while the node behind it went on.
  const refused = error.code === "HTTP_STATUS" && error.details.status < 500;
  if (!body.complete() || refused) return error;
  return withDetails(error, { ...error.details, bodySent: true });
}

/** Gives the version to ask for; throws `INVALID_OPTION` for one that there is not. */
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

/** Bytes of all files together, or `undefined` if one of them is not known. */
function totalSize(files: readonly SourceFile[]): number | undefined {
  return files.reduce<number | undefined>(
    (sum, { size }) => (sum === undefined || size === undefined ? undefined : sum + size),
    0,
  );
}
