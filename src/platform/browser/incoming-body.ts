import type { RequestFacts } from "../../errors/transport.ts";
import type { IncomingResponse, ResponseBody } from "../contract.ts";

/**
 * The body of a response. How it is framed and compressed the browser knows alone; it fails where less came than was
 * announced, and a connection that is reset is an error too.
 */
export function openBody({ headers, data }: IncomingResponse, _facts: RequestFacts): ResponseBody {
  const length = Number(headers["content-length"] ?? Number.NaN);
  return {
    chunks: data as ReadableStream<Uint8Array>,
    size: Number.isSafeInteger(length) ? length : undefined,
    endIsProven: true,
  };
}
