import { adapter } from "#axios/receive";
import { openBody } from "#platform";
import type { RequestFacts } from "../errors/transport.ts";
import { httpStatus } from "../errors/transport.ts";
import type { ResponseBody } from "../platform/contract.ts";
import { piecesOf } from "../platform/pieces.ts";
import { throwStatus } from "./answer.ts";
import {
  commonConfig,
  commonHeaders,
  factsOf,
  type HttpRequest,
  letGo,
  retryAfterSeconds,
  retryStale,
  translate,
} from "./client.ts";
import { withDeadline } from "./deadline.ts";
import type { IdleWatch } from "./idle.ts";
import { secretsOf } from "./secrets.ts";

/** A body whose bytes come chunk after chunk. */
export interface IncomingBody extends Pick<ResponseBody, "size" | "endIsProven"> {
  pieces: AsyncIterable<Uint8Array>;
}

const REFUSAL_CHARACTERS = 64 * 1024;

/**
 * Sends a request and lets `read` take the body as it arrives. Time limits and signal hold until `read` is done, and
 * the connection is closed regardless of the outcome. Only status 200 stands for a file: 202 means ask again later, 206
 * is a part of it.
 *
 * @throws `HTTP_STATUS`, `ABORTED`, `TIMEOUT`, `NETWORK` (also when the body is cut), `ANSWER_TOO_LARGE` for a compressed
 * body that expands without measure, and what `read` throws
 */
export function receive<T>(request: HttpRequest, read: (body: IncomingBody) => Promise<T>): Promise<T> {
  const facts = factsOf(request);
  return withDeadline(facts, request, async (signal, _, idle) => {
    idle.expect();
    const { status, headers, data } = await retryStale(request.once, (connection) =>
      adapter({
        ...commonConfig(request, signal),
        ...connection,
        headers: { ...commonHeaders(request), "Accept-Encoding": "identity" },
        responseType: "stream",
        maxContentLength: -1,
        decompress: false,
      }),
    ).catch((error: unknown) => {
      throw translate(facts, error);
    });
    try {
      // Its body is a file's, or part of one, and no message.
      if (status !== 200 && status < 300) throw httpStatus(facts, status, "http");
      const { chunks, size, endIsProven } = openBody({ headers, data }, facts);
      const pieces = incoming(facts, chunks, idle);
      if (status !== 200) {
        const retryAfter = retryAfterSeconds(headers["retry-after"]);
        const text = await beginning(pieces);
        throwStatus({ status, text, headers, retryAfterSeconds: retryAfter, facts, secrets: secretsOf(request) });
      }
      return await read({ size, endIsProven, pieces });
    } finally {
      letGo(data);
    }
  });
}

/** As much of a refusal as its message may take. */
async function beginning(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of pieces) {
    text += decoder.decode(piece, { stream: true });
    if (text.length > REFUSAL_CHARACTERS) break;
  }
  return text;
}

/** The chunks of a body; the peer is expected to send while one is waited for, not while one is used. */
async function* incoming(facts: RequestFacts, chunks: ResponseBody["chunks"], idle: IdleWatch) {
  try {
    idle.expect();
    for await (const chunk of piecesOf(chunks)) {
      idle.rest();
      yield chunk;
      idle.expect();
    }
  } catch (error) {
    throw translate(facts, error);
  } finally {
    idle.rest();
  }
}
