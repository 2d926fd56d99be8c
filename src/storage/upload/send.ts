import { relayBody, uploadBody } from "#platform";
import { LIST_RESPONSE_BYTES, STORED_FILE_BYTES } from "../../base/config/limits.ts";
import { isKeeplightError, withDetails } from "../../base/errors/base.ts";
import { paidList } from "../../base/errors/input.ts";
import { aborted } from "../../base/errors/transport.ts";
import type { Resolved } from "../../base/operation.ts";
import { type ResolvedCall, requireApiKey } from "../../base/options.ts";
import type { CidVersion } from "../../formats/cid/content-id.ts";
import { exchange } from "../../network/http/client.ts";
import { assertSuccess, type TextResponse } from "../../network/http/response.ts";
import type { SourceFile, UploadBody } from "../../platform/types.ts";
import { loadOnDemand } from "../load-on-demand.ts";
import type { ProgressReporter } from "../progress.ts";
import { getUploadHost, STORAGE_HEADER, type StorageClass, type storageSchema } from "./storage-class.ts";
import type { Route, uploadAccessSchema } from "./upload-access.ts";
import { readUploadResponse, type UploadedFiles } from "./upload-response.ts";

/**
 * Returns where files are sent: to the upload node with an API key, through an endpoint of one's own server, or to a service
 * that is paid for one.
 *
 * @throws `MISSING_API_KEY`, `INVALID_OPTION`
 */
export async function resolveRoute(
  options: Resolved<typeof uploadAccessSchema> & Pick<ResolvedCall, "endpoints">,
  isEncrypted: boolean,
): Promise<Route> {
  const { apiKey, via, payPerUpload: payment, storage } = options;
  if (payment) return { ...payment.route(options), payment };
  if (via === undefined) {
    return routeToNode("/api/v0/add", { ...options, apiKey: requireApiKey({ apiKey }) }, isEncrypted);
  }
  const { routeVia } = await loadOnDemand();
  return { ...routeVia({ apiKey, via }), ...nameStorage(storage) };
}

/** Returns where files are sent with an API key. */
export function routeToNode(
  path: string,
  options: { apiKey: string } & Resolved<typeof storageSchema> & Pick<ResolvedCall, "endpoints">,
  isEncrypted = false,
): Route {
  const { apiKey, storage, checkRoom = storage !== undefined, endpoints } = options;
  const base = getUploadHost(endpoints, storage, isEncrypted);
  return { base, path, bearer: apiKey, checkRoom, ...nameStorage(storage) };
}

function nameStorage(storage: StorageClass | undefined): Pick<Route, "headers" | "storage"> {
  return storage === undefined ? {} : { storage, headers: { [STORAGE_HEADER]: storage } };
}

/** One request to the upload node. */
export interface Upload {
  files: readonly SourceFile[];
  route: Route;
  /** `undefined` for an archive, whose content ids are its own. */
  cidVersion: CidVersion | undefined;
  /** Whether to put everything into a folder without a name; sent only if it makes a difference. */
  wrapWithDirectory: boolean | undefined;
  progress: ProgressReporter;
}

/**
 * Sends files to the upload node in one multipart request and returns its successful response.
 *
 * @throws what the sources throw; `NO_ROOM`, `HTTP_STATUS`, `NETWORK`, `TIMEOUT`, `ABORTED`, `RESPONSE_TOO_LARGE`; with
 * `details.bodySent` if everything was sent and only the response is missing: the files may well be stored
 */
export async function send(upload: Upload, call: ResolvedCall): Promise<TextResponse> {
  const { base: host, checkRoom, storage, bearer, payment } = upload.route;
  if (payment) throw paidList();
  if (checkRoom && bearer !== undefined) {
    const bytes = upload.files.reduce((sum, { size = 0 }) => sum + size, 0);
    const { assertRoom } = await loadOnDemand();
    await assertRoom({ bytes, storage, host, apiKey: bearer }, call);
  }
  const response = await sendFiles(upload, call, upload.route.base);
  return response ?? ((await sendFiles(upload, call, undefined)) as TextResponse);
}

async function sendFiles(
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
  return sendBody(body, withQuery(upload), call, files.length);
}

/**
 * Sends a multipart body of `count` files, and disposes of it. Returns `undefined` if the service does not accept a body
 * that is generated while it is sent; nothing was read then.
 */
async function sendBody(
  body: UploadBody,
  route: Route,
  call: ResolvedCall,
  count = 0,
): Promise<TextResponse | undefined> {
  try {
    const maxBytes = LIST_RESPONSE_BYTES + count * STORED_FILE_BYTES;
    const response = await exchange({ method: "POST", ...route, ...call, maxBytes }, body);
    (route.check ?? assertSuccess)(response, "request");
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
  // A refusal is final, but a node may store the files and then fail or redirect, or a gateway may time out meanwhile.
  const status = error.code === "HTTP_STATUS" ? error.details.status : 0;
  const refused = status >= 400 && status < 500 && status !== 408;
  if (!body.complete() || refused) return error;
  // An endpoint of an own server reports it itself.
  return withDetails(error, { bodySent: true, ...error.details });
}

function withQuery({ files, route, cidVersion, wrapWithDirectory }: Upload): Route {
  if (cidVersion === undefined) return route;
  const wrap = wrapWithDirectory ?? (files.length > 1 ? false : undefined);
  const query = { ...route.query, "cid-version": String(cidVersion) };
  return { ...route, query: wrap === undefined ? query : { ...query, "wrap-with-directory": String(wrap) } };
}

function sumSizes(files: readonly SourceFile[]): number | undefined {
  return files.reduce<number | undefined>(
    (sum, { size }) => (sum === undefined || size === undefined ? undefined : sum + size),
    0,
  );
}

/**
 * Sends files of others on while they arrive, and returns what the upload node has stored.
 *
 * @param files - become known one after another; each is read before the next one is requested. They end when `signal` fires
 * @throws what `files` and `send` throw; `INVALID_JSON`, `INVALID_RESPONSE`
 */
export async function relay(
  { files, route }: { files: (signal: AbortSignal) => AsyncIterable<SourceFile>; route: Route },
  call: ResolvedCall,
): Promise<UploadedFiles> {
  const names: string[] = [];
  const body = await relayBody(async function* (signal) {
    for await (const file of files(signal)) {
      names.push(file.name);
      yield file;
    }
  });
  // Only a body that could be sent again may get no response.
  const response = (await sendBody(body, route, call)) as TextResponse;
  return readUploadResponse(response, { name: names.length === 1 ? names[0] : undefined });
}
