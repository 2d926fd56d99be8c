import { printable } from "../../base/errors/base.ts";
import type { RequestFacts } from "../../base/errors/details/input-and-requests.ts";
import { httpStatus, invalidJson, type StatusFormat } from "../../base/errors/transport.ts";
import { parseJson } from "../../base/validation/parse-json.ts";
import type { StackResponse } from "../../platform/types.ts";
import { withoutSecrets } from "./secrets.ts";

/** A whole response of a service, with its body as a string. */
export interface TextResponse {
  status: number;
  text: string;
  /** By name in lower case. A page sees only those that the service lets it see. */
  headers: Readonly<Record<string, unknown>>;
  /** Whether a truncated body would have failed. */
  endIsProven: StackResponse["endIsProven"];
  /** `Retry-After` in seconds, if the service sent one. */
  retryAfterSeconds: number | undefined;
  facts: RequestFacts;
  /** Secrets of the request, which a service might repeat in its response. */
  secrets: readonly string[];
}

/** Parses the JSON of a successful response; `HTTP_STATUS` for another status, `INVALID_JSON` for another body. */
export function readJson(response: TextResponse, statusFormat: StatusFormat = "request"): unknown {
  assertSuccess(response, statusFormat);
  return parseResponse(response);
}

export function parseResponse(response: TextResponse): unknown {
  try {
    return parseJson(response.text);
  } catch {
    throw invalidJson(response.facts, response.status);
  }
}

export function assertSuccess(response: TextResponse, statusFormat: StatusFormat): void {
  if (response.status < 200 || response.status >= 300) throwStatus(response, statusFormat);
}

/** Throws `HTTP_STATUS` for a refusal, with the service's message. */
export function throwStatus(response: TextResponse, statusFormat: StatusFormat = "http"): never {
  const { facts, status, retryAfterSeconds } = response;
  throw httpStatus(facts, status, statusFormat, { serverMessage: readServerMessage(response), retryAfterSeconds });
}

const MESSAGE_CHARACTERS = 300;
const MESSAGE_DEPTH = 8;

/**
 * Reads a service's own message about its refusal: the innermost `message` or `error` of a nested JSON body, the title
 * of an HTML page, or the body itself; shortened, printable, and without the request's secrets.
 */
export function readServerMessage(response: TextResponse): string | undefined {
  const message = findMessage(response.text)?.trim();
  if (!message) return undefined;
  const clean = printable(withoutSecrets(message, response.secrets));
  return clean.length > MESSAGE_CHARACTERS ? `${clean.slice(0, MESSAGE_CHARACTERS)}…` : clean;
}

function findMessage(text: string): string | undefined {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    if (!/^\s*</.test(text)) return text;
    return /<title>([^<]*)<\/title>/i.exec(text)?.[1] ?? "an HTML page";
  }
  for (let depth = 0; depth < MESSAGE_DEPTH && typeof value === "object" && value !== null; depth++) {
    value = "message" in value ? value.message : "error" in value ? value.error : undefined;
  }
  return typeof value === "string" ? value : undefined;
}
