import { type EndpointOptions, isKeeplightError } from "keeplight";
import {
  bearerSchema,
  callback,
  invalidOption,
  type OptionSchema,
  refusalStatus,
  resolveOptions,
  unchecked,
} from "keeplight/parts";
import { type Authorize, decideAccess, isOriginAllowed, originList, withCors } from "./access.ts";
import { uploadRefused } from "./errors.ts";
import { openForm } from "./form.ts";
import { limitSchema, type UploadLimits } from "./limits.ts";
import { passOn } from "./pass-on.ts";

/** Options of {@link createUploadHandler}. */
export interface UploadHandlerOptions {
  /** The network's API key. It never leaves the server. A missing one fails each request with 500, not the start. */
  apiKey: string;
  /**
   * Decides for each request whether it may upload, and how much: by its cookies or headers, or by the text fields of its
   * form (`await form.fields()`). It must not read the body. What it throws, or returns by mistake, refuses the request
   * with 500 without a word of it; `onError` receives it.
   */
  authorize: Authorize;
  /**
   * Limits of every request that `authorize` lets in without limits of its own.
   *
   * @default those of {@link UploadLimits}
   */
  limits?: UploadLimits | undefined;
  /**
   * Origins of other pages that may upload, such as `https://app.example`. They get CORS headers without credentials, so
   * that they have to send a token; route `OPTIONS` to the handler, too. @default none
   */
  allowedOrigins?: readonly string[] | undefined;
  /** Base URLs to use instead of the public network's. @default `defaultEndpoints` */
  endpoints?: EndpointOptions | undefined;
  /**
   * Receives every error that a request failed with, including what the client does not learn, for a log. What it throws
   * is ignored.
   *
   * @default none
   */
  onError?: ((error: unknown, request: Request) => void | Promise<void>) | undefined;
}

const schema = {
  // Checked by each request: builds run without secrets.
  apiKey: unchecked<string>(),
  authorize: (authorize, name) => {
    if (typeof authorize !== "function") throw invalidOption(name, "a function");
    return authorize as Authorize;
  },
  limits: (limits) => resolveOptions(limitSchema, limits ?? {}),
  allowedOrigins: originList,
  endpoints: bearerSchema.endpoints,
  onError: callback<NonNullable<UploadHandlerOptions["onError"]>>(),
} satisfies OptionSchema<UploadHandlerOptions>;

/**
 * Creates a handler of upload requests (Web `Request` to `Response`) for one's own server: pages upload through it by
 * `upload(files, { via: "/api/upload" })` and `uploadEncrypted(files, { via, signer })` without ever holding the
 * API key. Files pass through while they arrive; memory use does not depend on their size. A successful response lists
 * what was stored, as JSON: to record it, read a clone of the response.
 *
 * Requests of pages of other origins are refused (CSRF) unless the origin is allowed. Nothing of the client is believed:
 * sizes are counted, names may not lead out of a folder, files have to start as their type does, if types are limited.
 *
 * @throws `INVALID_OPTION`
 *
 * @example
 * export const POST = createUploadHandler({
 *   apiKey: process.env.KEEPLIGHT_API_KEY ?? "",
 *   authorize: async (request) => (await getSession(request)) !== null,
 *   limits: { maxBytes: 20_000_000, types: ["image/*"] },
 * });
 */
export function createUploadHandler(options: UploadHandlerOptions): (request: Request) => Promise<Response> {
  const { apiKey, authorize, limits, allowedOrigins, endpoints, onError } = resolveOptions(schema, options);

  async function respond(request: Request): Promise<Response> {
    if (request.method === "OPTIONS" && allowedOrigins.length > 0) return new Response(null, { status: 204 });
    if (request.method !== "POST") return respondText(405, "Method Not Allowed", { Allow: "POST" });
    if (!isOriginAllowed(request, allowedOrigins)) throw uploadRefused("origin");
    const bearer = bearerSchema.apiKey(apiKey);
    const form = openForm(request, limits);
    try {
      const access = await decideAccess(authorize, request, form, limits);
      if (access instanceof Response) return access;
      const stored = await passOn(request, form, access, { bearer, endpoints });
      const listed = stored.map(({ Name, Hash, Size }) => ({ Name, Hash, Size }));
      return toResponse(200, listed);
    } finally {
      form.close();
    }
  }

  return async (request) => {
    const response = await respond(request).catch((error: unknown) => {
      // A failing log must not end the server.
      void (async () => onError?.(error, request))().catch(() => undefined);
      return respondError(error);
    });
    return withCors(response, request, allowedOrigins);
  };
}

/** Facts that a page may learn: none of the network behind the endpoint, such as what it says of the account. */
const publicDetails = new Set(
  "reason,limit,types,name,first,size,option,timeoutMs,idleMs,limitBytes,retryAfterSeconds,bodySent,stored".split(","),
);

const STATUS_BY_REASON = new Map<unknown, number>([
  ["count", 413],
  ["type", 415],
]);

/** Responds with an error, as far as it concerns the client: to a failure of this side, without a word of it. */
function respondError(error: unknown): Response {
  if (!isKeeplightError(error) || !isRefusalCode(error.code)) return respondText(500, "Internal Server Error");
  const { code } = error;
  const status = STATUS_BY_REASON.get(error.details["reason"]) ?? refusalStatus[code];
  const isPublic = (name: string) => publicDetails.has(name) && !(code === "NETWORK" && name === "reason");
  const details = Object.fromEntries(Object.entries(error.details).filter(([name]) => isPublic(name)));
  // The page takes the endpoint for the service: another status would say that of its own request.
  const message = code === "HTTP_STATUS" ? `Request failed with status code ${status}` : error.message;
  const isOfNetwork = code === "HTTP_STATUS" || code === "INVALID_JSON";
  const body = { code, message, details: { ...details, ...(isOfNetwork ? { status } : {}) } };
  const retryAfter = details["retryAfterSeconds"];
  return toResponse(status, { error: body }, retryAfter === undefined ? {} : { "Retry-After": String(retryAfter) });
}

function respondText(status: number, message: string, headers?: Record<string, string>): Response {
  return toResponse(status, { error: { message } }, headers);
}

function toResponse(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      "Content-Type": "application/json",
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
      ...headers,
    },
  });
}

/** Whether clients learn of an error with this code. */
function isRefusalCode(code: string): code is keyof typeof refusalStatus {
  return Object.hasOwn(refusalStatus, code);
}
