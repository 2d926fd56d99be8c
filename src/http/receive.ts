import { httpStatus } from "../errors/transport.ts";
import type { StackResponse } from "../platform/contract.ts";
import { throwStatus } from "./answer.ts";
import { type HttpRequest, toAnswer, withResponse } from "./client.ts";

/** A body that is read chunk after chunk. */
export interface IncomingBody extends Pick<StackResponse, "size" | "endIsProven"> {
  pieces: AsyncIterable<Uint8Array>;
}

const REFUSAL_CHARACTERS = 64 * 1024;

/**
 * Sends a request and lets `read` take the body as it arrives. Only status 200 stands for a file: 202 means try again
 * later, 206 is a part of it. Files are requested uncompressed.
 *
 * @throws `HTTP_STATUS`, `ABORTED`, `TIMEOUT`, `NETWORK` (also when the body is truncated), `ANSWER_TOO_LARGE` for a
 * compressed body that expands without measure, and what `read` throws
 */
export function receive<T>(request: HttpRequest, read: (body: IncomingBody) => Promise<T>): Promise<T> {
  const plain = { ...request, headers: { ...request.headers, "Accept-Encoding": "identity" } };
  return withResponse(plain, undefined, async ({ status, headers, size, endIsProven }, chunks, facts) => {
    if (status === 200) return read({ size, endIsProven, pieces: chunks });
    // The body of another success is a file's, or part of one, and no message.
    if (status < 300) throw httpStatus(facts, status, "http");
    throwStatus(toAnswer(request, facts, { status, headers, text: await readStart(chunks) }));
  });
}

/** As much of a refusal as its message may take. */
async function readStart(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > REFUSAL_CHARACTERS) break;
  }
  return text;
}
