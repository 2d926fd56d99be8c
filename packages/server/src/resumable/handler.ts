import { Server as TusServer } from "@tus/server";
import type { UploadedFile } from "keeplight";
import {
  bearerSchema,
  invalidOption,
  invalidSource,
  type OptionSchema,
  resolveOptions,
  wholeNumber,
} from "keeplight/parts";
import { decideAccess, isOriginAllowed, withCors } from "../access.ts";
import { uploadRefused } from "../errors.ts";
import type { ResolvedLimits } from "../limits.ts";
import { handlerSchema, report, type UploadHandlerOptions } from "../options.ts";
import { respondError, respondJson, respondText } from "../responses.ts";
import { createLocker, LOCKED } from "./locker.ts";
import { checkAnnounced, readLength, readMetadata, toFormData } from "./metadata.ts";
import { isEnded, openSpool, type UploadRecord } from "./spool.ts";
import { createStoring, isOutage } from "./storing.ts";
import { createTidying } from "./tidying.ts";
import { TusStore } from "./tus-store.ts";
import { createUploadId } from "./upload-id.ts";

/** Options of {@link createResumableHandler}. */
export interface ResumableHandlerOptions extends UploadHandlerOptions {
  /**
   * Path of the folder where uploads are until the network has stored them, which is created. Several processes of a machine may
   * share it. It needs room for all uploads that are not complete.
   */
  folder: string;
  /**
   * Milliseconds for which an upload waits for its next byte, and for which the response to one that has ended stays available.
   * What is complete, and not stored yet, stays however long that takes.
   *
   * @default 86,400,000 (24 hours)
   */
  maxAgeMs?: number | undefined;
}

/** A handler of resumable uploads, which answers requests to its own URL and to those below it. */
export interface ResumableHandler {
  (request: Request): Promise<Response>;
  /**
   * Continues to store what was complete when the process ended. The first request does so, too; call it where a server starts.
   * Rejects if the folder cannot be read.
   */
  resume(): Promise<void>;
}

const schema = {
  ...handlerSchema,
  folder: (folder, name) => {
    if (typeof folder !== "string" || folder === "") throw invalidOption(name, "the path of a folder");
    return folder;
  },
  maxAgeMs: wholeNumber(86_400_000, 1),
} satisfies OptionSchema<ResumableHandlerOptions>;

const CORS = {
  methods: "POST, GET, HEAD, PATCH, DELETE",
  allowed:
    "Authorization, Content-Type, Tus-Resumable, Upload-Concat, Upload-Defer-Length, Upload-Length, Upload-Metadata, Upload-Offset, X-Request-ID",
  exposed:
    "Location, Retry-After, Tus-Extension, Tus-Max-Size, Tus-Resumable, Tus-Version, Upload-Expires, Upload-Length, Upload-Metadata, Upload-Offset",
};

const TUS_VERSION = "1.0.0";

/** What the tus server is shown of a request: proxies add headers that it would refuse. */
const TUS_HEADERS = [
  "content-length",
  "content-type",
  "tus-resumable",
  "upload-concat",
  "upload-defer-length",
  "upload-length",
  "upload-metadata",
  "upload-offset",
];

/** For how long a request waits until the file is stored, and after how long a client asks again. */
const MAX_WAIT_MS = 20_000;
const ASK_AGAIN_SECONDS = 1;

/**
 * Creates a handler of uploads that survive a lost connection, a reload of the page and a restart of the server (tus 1.0.0, with
 * creation, termination and expiration), for any tus client, and for the Uppy plugin `@keeplight/uppy`,
 * which encrypts in the page. Files wait in a folder until they are complete, and are then stored on the network, each once.
 *
 * `POST` creates an upload at the handler's own URL, and everything else is below it: let the server route both to the handler,
 * with all methods. Once an upload is complete, `GET` of its URL responds with what is stored, as JSON with `Name`, `Hash` (the
 * content id) and `Size`; with 202 and `Retry-After` while it is being stored.
 *
 * A request may upload what `authorize` lets it, which is called for each request: its `fields` are the metadata of the upload. The
 * URL of an upload has 128 bits that nobody can guess: whoever is authorized and knows it may continue the upload.
 *
 * @throws `INVALID_OPTION`
 *
 * @example
 * const uploads = createResumableHandler({
 *   apiKey: process.env.KEEPLIGHT_API_KEY ?? "",
 *   folder: "/var/lib/app/uploads",
 *   authorize: async (request) => (await getSession(request)) !== null,
 *   limits: { maxBytes: 5_000_000_000 },
 * });
 */
export function createResumableHandler(options: ResumableHandlerOptions): ResumableHandler {
  const resolved = resolveOptions(schema, options);
  const { apiKey, authorize, limits, allowedOrigins, endpoints, onError, folder, maxAgeMs } = resolved;
  const spool = openSpool(folder);
  const locker = createLocker(spool);
  const getAccount = () => ({ bearer: bearerSchema.apiKey(apiKey), endpoints });
  const storing = createStoring(spool, getAccount, (error) => report(onError, error));
  const { resume } = createTidying(spool, locker, storing, { maxAgeMs, report: (error) => report(onError, error) });

  async function respond(request: Request): Promise<Response> {
    const { method, headers } = request;
    if (method === "OPTIONS") return callTus(request, limits);
    if (!isOriginAllowed(request, allowedOrigins)) throw uploadRefused("origin");
    getAccount();
    void resume().catch((error) => report(onError, error));
    const id = getLastPart(request);
    const record = await spool.read(id);
    const metadata = method === "POST" ? readMetadata(request) : (record?.metadata ?? {});
    const fields = { fields: async () => toFormData(metadata), failure: () => undefined };
    const access = await decideAccess(authorize, request, fields, limits);
    if (access instanceof Response) return access;
    if (method !== "POST" && !record) return respondText(404, "There is no such upload");
    if (method === "GET") return respondResult(id, record as UploadRecord);
    if (headers.get("tus-resumable") !== TUS_VERSION) {
      return respondText(412, "Expected Tus-Resumable: 1.0.0", { "Tus-Version": TUS_VERSION });
    }
    if (method === "POST" && !headers.has("upload-concat") && !headers.has("upload-defer-length")) {
      const size = readLength(request);
      if (size === undefined) throw invalidSource("its Upload-Length is no number");
      checkAnnounced(size, metadata, access);
    }
    return callTus(request, access);
  }

  async function respondResult(id: string, record: UploadRecord): Promise<Response> {
    const askAgain = () => respondJson(202, {}, { "Retry-After": String(ASK_AGAIN_SECONDS) });
    if (!isEnded(record)) {
      if ((await spool.countArrived(id)) < record.size) return askAgain();
      const error = await storing.settle(id, MAX_WAIT_MS);
      if (error !== undefined && !isOutage(error)) return respondError(error);
    }
    const { stored, refused } = (await spool.read(id)) ?? record;
    if (refused) return respondJson(refused.status, refused.body);
    return stored ? respondJson(200, stored satisfies Partial<UploadedFile>) : askAgain();
  }

  async function callTus(request: Request, access: ResolvedLimits): Promise<Response> {
    const tus = new TusServer({
      path: "/",
      datastore: new TusStore(spool, access, maxAgeMs),
      locker,
      maxSize: access.maxBytes,
      // Its headers of CORS are replaced, and its addresses would be those behind a proxy.
      allowedOrigins: () => false,
      generateUrl: (_, { id }) => toLocation(request, id),
      getFileIdFromRequest: getLastPart,
      namingFunction: (_, metadata = {}) =>
        createUploadId(request, { size: readLength(request) ?? 0, metadata, limits: access }, getAccount().bearer),
      onUploadFinish: async (_, { id }) => {
        storing.start(id);
        return {};
      },
      onResponseError: async (_, error) => {
        // What the protocol refuses.
        if ("status_code" in error && error.status_code < 500) return undefined;
        report(onError, error, request);
        // A client would start another upload if it could not learn how far this one is.
        if (request.method === "HEAD") return LOCKED;
        const response = respondError(error);
        return { status_code: response.status, body: await response.text() };
      },
    });
    const response = await tus.handleWeb(toTusRequest(request));
    return response.status < 400 ? response : withJsonBody(response);
  }

  async function handle(request: Request): Promise<Response> {
    const response = await respond(request).catch((error: unknown) => {
      report(onError, error, request);
      return respondError(error);
    });
    // Those of a response from elsewhere may be immutable.
    const own = new Response(response.body, response);
    own.headers.set("Tus-Resumable", TUS_VERSION);
    return withCors(own, request, allowedOrigins, CORS);
  }

  return Object.assign(handle, { resume });
}

/** Gives an error of the tus server, which is a text, the form of all errors. */
async function withJsonBody({ status, headers, body }: Response): Promise<Response> {
  const text = await new Response(body).text();
  const copy = new Response(text.startsWith("{") ? text : JSON.stringify({ error: { message: text.trim() } }), {
    status,
    headers,
  });
  copy.headers.delete("Content-Length");
  copy.headers.set("Content-Type", "application/json");
  return copy;
}

function toTusRequest({ method, url, headers, body, signal }: Request): Request {
  const shown = TUS_HEADERS.flatMap((name): [string, string][] => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value]];
  });
  // An upload starts without bytes.
  const sent = method === "PATCH" && body ? { body, duplex: "half" } : {};
  return new Request(url, {
    method,
    headers: shown.filter(([name]) => method === "PATCH" || name !== "content-type"),
    signal,
    ...sent,
  } as RequestInit);
}

/** The id of an upload: the last part of its URL. */
function getLastPart({ url }: Pick<Request, "url">): string {
  return new URL(url).pathname.split("/").filter(Boolean).at(-1) ?? "";
}

/** Relative to the URL of the handler, of which a proxy may have changed all but the last part. */
function toLocation(request: Request, id: string): string {
  return new URL(request.url).pathname.endsWith("/") ? id : `${getLastPart(request)}/${id}`;
}
