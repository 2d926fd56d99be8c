import type { ErrorCode } from "../../base/errors/base.ts";

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
export function isRefusalCode(code: unknown): code is keyof typeof refusalStatus {
  return typeof code === "string" && Object.hasOwn(refusalStatus, code);
}
