import { httpStatus } from "../../base/errors/transport.ts";
import type { StackResponse } from "../../platform/types.ts";
import { type HttpRequest, throwRefusal, withResponse } from "./client.ts";

/** A body that is read chunk after chunk. */
export interface IncomingBody extends Pick<StackResponse, "size" | "endIsProven"> {
  chunks: AsyncIterable<Uint8Array>;
}

/**
 * Sends a request and passes the body to `read` as it arrives. Only status 200 means a file: 202 means try again
 * later, 206 is a part of it. Files are requested uncompressed.
 *
 * @throws `HTTP_STATUS`, `ABORTED`, `TIMEOUT`, `NETWORK` (also when the body is truncated), `RESPONSE_TOO_LARGE` for a
 * compressed body that expands beyond limits, and what `read` throws
 */
export function receive<T>(request: HttpRequest, read: (body: IncomingBody) => Promise<T>): Promise<T> {
  const plain = { ...request, headers: { ...request.headers, "Accept-Encoding": "identity" } };
  return withResponse(plain, undefined, async (response, chunks, facts) => {
    const { status, size, endIsProven } = response;
    if (status === 200) return read({ size, endIsProven, chunks });
    // The body of another success status is (part of) a file, not a message.
    if (status < 300) throw httpStatus(facts, status, "http");
    return throwRefusal(request, response, chunks, facts);
  });
}
