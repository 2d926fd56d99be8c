import { type ErrorCode, KeeplightError } from "../../base/errors/base.ts";
import { invalidOption, unknownOption } from "../../base/errors/input.ts";
import { isOptions } from "../../base/operation.ts";
import { checkToken } from "../../base/options.ts";
import { parseJson } from "../../base/validation/parse-json.ts";
import { assertSuccess, type TextResponse } from "../../network/http/response.ts";
import type { Route, UploadAccess, UploadEndpoint } from "./upload-access.ts";

/** Resolves the endpoint that an upload is sent through; throws `INVALID_OPTION`. */
export function routeVia({ apiKey, via }: { apiKey?: unknown; via?: UploadAccess["via"] }): Route {
  if (apiKey !== undefined) throw invalidOption("via", "no apiKey beside it");
  const { url, token, ...others } = (isOptions(via) ? via : { url: via }) as UploadEndpoint;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw unknownOption(unknown, ["url", "token"], "via.");
  const { origin, pathname, searchParams } = parseUrl(url);
  return {
    base: origin,
    path: pathname,
    query: Object.fromEntries(searchParams),
    bearer: token === undefined ? undefined : checkToken("via.token", token),
    check: assertAccepted,
  };
}

/** A path is relative to the page; there is none in Node. */
function parseUrl(value: unknown): URL {
  try {
    const url = new URL(String(value), globalThis.location?.href);
    if (/^https?:$/.test(url.protocol) && url.username === "" && url.password === "") return url;
  } catch {
    // Refused below, like any other URL that cannot be used.
  }
  throw invalidOption("via", "an http or https URL without credentials; in a page also a path");
}

/**
 * The status of an upload endpoint's response to each error that it passes on; to any other it responds 500 without a
 * word of it. 403 and 413 to 415 as RFC 9110 defines them; failures of the network behind it are a 502 or a 504.
 */
export const refusalStatus = {
  UPLOAD_REFUSED: 403,
  FILE_TOO_LARGE: 413,
  INVALID_SOURCE: 400,
  DUPLICATE_NAME: 400,
  TIMEOUT: 504,
  NETWORK: 502,
  HTTP_STATUS: 502,
  INVALID_JSON: 502,
  INVALID_RESPONSE: 502,
  RESPONSE_TOO_LARGE: 502,
  ABORTED: 499,
} as const satisfies Partial<Record<ErrorCode, number>>;

/** Whether an upload endpoint passes on errors with this code. */
function isRefusalCode(code: unknown): code is keyof typeof refusalStatus {
  return typeof code === "string" && Object.hasOwn(refusalStatus, code);
}

/** Throws the error in `{"error": {"code", "message", "details"}}`, which `createUploadHandler` responds with. */
function assertAccepted(response: TextResponse): void {
  const { status, text, facts } = response;
  const { code, message, details } = status < 400 ? {} : parseError(text);
  if (isRefusalCode(code) && typeof message === "string") {
    // Only the endpoint knows whether all of the files reached the network.
    const known = { ...facts, bodySent: false, ...(isOptions(details) ? details : {}) };
    throw new KeeplightError(code, message, { details: known as never });
  }
  assertSuccess(response, "request");
}

function parseError(text: string): Record<string, unknown> {
  try {
    const { error } = parseJson(text) as { error?: Record<string, unknown> };
    return error ?? {};
  } catch {
    return {};
  }
}
