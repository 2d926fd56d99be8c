import * as z from "zod/mini";
import { invalidResponse, type StatusFormat } from "../../base/errors/transport.ts";
import type { ResolvedCall } from "../../base/options.ts";
import { exchange, type HttpRequest } from "./client.ts";
import { readJson, type TextResponse } from "./response.ts";

/** One request to the API host and the schema of a valid response. */
interface ApiRequest<Response> extends Pick<HttpRequest, "method" | "path" | "query" | "json" | "maxBytes"> {
  schema: z.ZodMiniType<Response>;
  /** What the response holds, for the error about an invalid one. */
  what: string;
  /** Further checks; throws for a response that fails them. */
  check?: (response: TextResponse) => void;
  /** Whether repeating it makes a difference. Default: anything but a GET. */
  once?: boolean;
  /** Which message a refusal gets. Default `request`. */
  statusFormat?: StatusFormat;
}

/**
 * Sends a request to the API host, with the API key of the call if it has one, and returns its validated response.
 *
 * @throws `HTTP_STATUS`, `INVALID_JSON`, `INVALID_RESPONSE`, `RESPONSE_TOO_LARGE`, `NETWORK`, `TIMEOUT`, `ABORTED`
 */
export async function requestApi<Response>(
  { signal, timeoutMs, endpoints, apiKey: bearer }: ResolvedCall & { apiKey?: string },
  { schema, what, check, statusFormat, ...request }: ApiRequest<Response>,
): Promise<Response> {
  const { once = request.method !== "GET" } = request;
  const response = await exchange({ ...request, once, retries: !once, base: endpoints.api, bearer, signal, timeoutMs });
  const parsed = z.safeParse(schema, readJson(response, statusFormat));
  if (!parsed.success) throw invalidResponse(response.facts, `The API host sent no ${what}`);
  check?.(response);
  return parsed.data;
}
