import type * as z from "zod/mini";
import { invalidResponse, type StatusWording } from "../errors/transport.ts";
import type { ResolvedCall } from "../options.ts";
import { exchange, type HttpRequest } from "./client.ts";
import { readJson, type TextResponse } from "./response.ts";

/** One request to the API host and what a good answer to it looks like. */
interface ApiRequest<Schema extends z.ZodMiniType>
  extends Pick<HttpRequest, "method" | "path" | "query" | "bearer" | "json"> {
  schema: Schema;
  /** What the answer holds, for the message about one that does not. */
  what: string;
  /** What else the answer has to be; throws if it is not. */
  check?: (answer: TextResponse) => void;
  /** Whether doing it twice makes a difference. Default: anything but a GET. */
  once?: boolean;
  /** How a refusal is worded. Default `request`. */
  wording?: StatusWording;
}

/**
 * Sends a request to the API host and gives its answer, checked.
 *
 * @throws `HTTP_STATUS`, `INVALID_JSON`, `INVALID_RESPONSE`, `RESPONSE_TOO_LARGE`, `NETWORK`, `TIMEOUT`, `ABORTED`
 */
export async function requestApi<Schema extends z.ZodMiniType>(
  { signal, timeoutMs, endpoints }: ResolvedCall,
  { schema, what, check, wording, ...request }: ApiRequest<Schema>,
): Promise<z.infer<Schema>> {
  const answer = await exchange({ once: request.method !== "GET", ...request, base: endpoints.api, signal, timeoutMs });
  const parsed = schema.safeParse(readJson(answer, wording));
  if (!parsed.success) throw invalidResponse(answer.facts, `The API host gave no ${what}`);
  check?.(answer);
  return parsed.data;
}
