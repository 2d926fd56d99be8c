import { bearerSchema, resolveOptions } from "keeplight/parts";
import { decideAccess, isOriginAllowed, withCors } from "./access.ts";
import { uploadRefused } from "./errors.ts";
import { openForm } from "./form.ts";
import { handlerSchema, report, type UploadHandlerOptions } from "./options.ts";
import { passOn } from "./pass-on.ts";
import { respondError, respondJson, respondText } from "./responses.ts";

const CORS = {
  methods: "POST",
  allowed: "Authorization, Encryption, Mime-Type, X-Storage-Type",
  exposed: "Retry-After",
};

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
  const { apiKey, authorize, limits, allowedOrigins, endpoints, onError } = resolveOptions(handlerSchema, options);

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
      return respondJson(200, listed);
    } finally {
      form.close();
    }
  }

  return async (request) => {
    const response = await respond(request).catch((error: unknown) => {
      report(onError, error, request);
      return respondError(error);
    });
    return withCors(response, request, allowedOrigins, CORS);
  };
}
