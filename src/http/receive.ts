import { httpStatus } from "../errors/transport.ts";
import type { StackResponse } from "../platform/types.ts";
import { type HttpRequest, toTextResponse, withResponse } from "./client.ts";
import { throwStatus } from "./response.ts";

/** A body that is read chunk after chunk. */
export interface IncomingBody extends Pick<StackResponse, "size" | "endIsProven"> {
  chunks: AsyncIterable<Uint8Array>;
}

const REFUSAL_CHARACTERS = 64 * 1024;

/**
 * Sends a request and passes the body to `read` as it arrives. Only status 200 means a file: 202 means try again
 * later, 206 is a part of it. Files are requested uncompressed.
 *
 * @throws `HTTP_STATUS`, `ABORTED`, `TIMEOUT`, `NETWORK` (also when the body is truncated), `RESPONSE_TOO_LARGE` for a
 * compressed body that expands beyond limits, and what `read` throws
 */
export function receive<T>(request: HttpRequest, read: (body: IncomingBody) => Promise<T>): Promise<T> {
  const plain = { ...request, headers: { ...request.headers, "Accept-Encoding": "identity" } };
  return withResponse(plain, undefined, async ({ status, headers, size, endIsProven }, chunks, facts) => {
    if (status === 200) return read({ size, endIsProven, chunks });
    // The body of another success status is (part of) a file, not a message.
    if (status < 300) throw httpStatus(facts, status, "http");
    throwStatus(toTextResponse(request, facts, { status, headers, endIsProven, text: await readStart(chunks) }));
  });
}

/** Reads as much of a refusal as its message may need. */
async function readStart(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > REFUSAL_CHARACTERS) break;
  }
  return text;
}
