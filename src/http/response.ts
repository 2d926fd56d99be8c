import type { RequestFacts } from "../errors/facts.ts";
import { printable } from "../errors/printable.ts";
import { httpStatus, invalidJson, type StatusWording } from "../errors/transport.ts";
import { withoutSecrets } from "./secrets.ts";

/** A whole answer of a service, with its body as text. */
export interface TextResponse {
  status: number;
  text: string;
  /** By name in lower case. A page sees only those that the service lets it see. */
  headers: Readonly<Record<string, unknown>>;
  /** `Retry-After` in seconds, where the service gave one. */
  retryAfterSeconds: number | undefined;
  facts: RequestFacts;
  /** Secrets of the request, which a service might repeat in its answer. */
  secrets: readonly string[];
}

/** The JSON of a successful answer; `HTTP_STATUS` for another status, `INVALID_JSON` for another body. */
export function readJson(answer: TextResponse, wording: StatusWording = "request"): unknown {
  assertSuccess(answer, wording);
  return parseJson(answer);
}

export function parseJson(answer: TextResponse): unknown {
  try {
    return JSON.parse(answer.text);
  } catch {
    throw invalidJson(answer.facts, answer.status);
  }
}

export function assertSuccess(answer: TextResponse, wording: StatusWording): void {
  if (answer.status < 200 || answer.status >= 300) throwStatus(answer, wording);
}

/** Tells a refusal as `HTTP_STATUS`, with what the service says about it. */
export function throwStatus(answer: TextResponse, wording: StatusWording = "http"): never {
  const said = serverMessage(answer);
  throw httpStatus(answer.facts, answer.status, wording, {
    ...(said === undefined ? {} : { serverMessage: said }),
    ...(answer.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: answer.retryAfterSeconds }),
  });
}

const MESSAGE_CHARACTERS = 300;
const MESSAGE_DEPTH = 8;

/**
 * What a service says about its refusal, in its own words: the innermost `message` or `error` of a JSON
 * body however deep it is nested, the title of an HTML page, or the text itself; shortened, printable, and with
 * the request's secrets taken out.
 */
export function serverMessage(answer: TextResponse): string | undefined {
  const said = innermostMessage(answer.text)?.trim();
  if (!said) return undefined;
  const clean = printable(withoutSecrets(said, answer.secrets));
  return clean.length > MESSAGE_CHARACTERS ? `${clean.slice(0, MESSAGE_CHARACTERS)}…` : clean;
}

function innermostMessage(text: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    if (!/^\s*</.test(text)) return text;
    return /<title>([^<]*)<\/title>/i.exec(text)?.[1] ?? "an HTML page";
  }
  for (let depth = 0; depth < MESSAGE_DEPTH && typeof value === "object" && value !== null; depth++) {
    value = "message" in value ? value.message : "error" in value ? value.error : undefined;
  }
  return typeof value === "string" ? value : undefined;
}
