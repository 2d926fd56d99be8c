import { KeeplightError } from "keeplight";
import { sourceUnreadable } from "keeplight/parts";

/** What a request is about. */
export interface RequestFacts {
  /** Of the API, such as `GetObject`. */
  method: string;
  /** Place of the bucket. */
  url: string;
}

/** What may be repeated of an error of the AWS SDK: the rest of it may have the id of a key, or a signature. */
interface Failure {
  /** Of S3, such as `SlowDown`, or of the system, such as `ECONNRESET`. */
  code: string;
  /** HTTP status, if there was a response. */
  status: number | undefined;
  retryAfterSeconds: number | undefined;
}

/**
 * Translates what a request was rejected with: into `TIMEOUT`, `NETWORK` or `HTTP_STATUS` if the same may succeed later, and
 * otherwise into `SOURCE_UNREADABLE` of the bucket.
 */
export function toBucketError(error: unknown, facts: RequestFacts): KeeplightError {
  const { code, status = 0, retryAfterSeconds } = readFailure(error);
  const message = `${facts.url} could not be read (${code})`;
  if (status === 408 || TIMEOUTS.has(code)) return new KeeplightError("TIMEOUT", message, { details: { ...facts } });
  if (status === 429 || status >= 500) {
    return new KeeplightError("HTTP_STATUS", message, { details: { ...facts, status, retryAfterSeconds } });
  }
  // A response that ends too early is one that cannot be parsed.
  const isBroken = status === 0 ? isOfConnection(code) : status < 300;
  return isBroken ? networkError(facts, code) : unreadable(facts.url, code);
}

/** @param reason - why the connection broke, or what its response lacks */
export function networkError(facts: RequestFacts, reason: string): KeeplightError {
  const message = `${facts.url} could not be read (${reason})`;
  return new KeeplightError("NETWORK", message, { details: { ...facts, reason } });
}

/** @param name - path of the object, or the place of the bucket */
export function unreadable(name: string, code: string): KeeplightError {
  return sourceUnreadable(name, Object.assign(new Error("The bucket refused the request"), { code }));
}

/** Whether the same request may succeed later. */
export function isOutage({ code }: KeeplightError): boolean {
  return code === "NETWORK" || code === "TIMEOUT" || code === "HTTP_STATUS";
}

const TIMEOUTS = new Set(["TimeoutError", "RequestTimeout", "ETIMEDOUT"]);

/** Codes of connections that no time mends: to another protocol, or to an address that is forbidden or malformed. */
const LASTING = new Set(["EPROTO", "EACCES", "EINVAL"]);

/** Whether a code is that of a connection, not of certificates, credentials or settings. */
function isOfConnection(code: string): boolean {
  const isSystemCode = /^(E[A-Z0-9]+|EAI_[A-Z]+|(ERR_(HTTP2|STREAM|SOCKET)|UND_ERR)_\w+)$/.test(code);
  return isSystemCode && !LASTING.has(code);
}

function readFailure(error: unknown): Failure {
  const { name, message, code, cause, $metadata, $response } = toFields(error);
  const { httpStatusCode: status } = toFields($metadata);
  const { "retry-after": retryAfter } = toFields(toFields($response)["headers"]);
  const isResponse = typeof status === "number";
  // The SDK has no code for it. The fetch of the system wraps what has happened.
  const local = message === "Region is missing" ? "RegionMissing" : [code, toFields(cause)["code"], name].find(isCode);
  return {
    code: (isResponse ? [name].find(isCode) : local) ?? "UNKNOWN",
    status: isResponse ? status : undefined,
    retryAfterSeconds: typeof retryAfter === "string" && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) : undefined,
  };
}

const toFields = (value: unknown) => Object(value) as Record<string, unknown>;

/** Whether a value is a code, not a sentence of a server that may say anything. */
function isCode(value: unknown): value is string {
  return typeof value === "string" && /^[A-Za-z][A-Za-z0-9_.]{0,63}$/.test(value);
}
