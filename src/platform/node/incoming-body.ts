import type { ClientRequest, IncomingMessage } from "node:http";
import { pipeline } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import type { RequestFacts } from "../../base/errors/details/input-and-requests.ts";
import { networkError, responseTooLarge } from "../../base/errors/transport.ts";
import type { StackResponse } from "../types.ts";

/** Each fails if its format is truncated, unlike those of axios. */
const decoders = { gzip: createGunzip, "x-gzip": createGunzip, deflate: createInflate, br: createBrotliDecompress };

/** A compressed body may expand to this many bytes, or by this factor if that is more. */
const EXPANDED_BYTES = 64 * 1024 * 1024;
const MAX_EXPANSION = 100;

/** Files are requested uncompressed; if a gateway compresses them nevertheless, decodes strictly and within limits. */
export function openBody(
  headers: StackResponse["headers"],
  message: IncomingMessage & { req?: ClientRequest },
  facts: RequestFacts,
): Pick<StackResponse, "chunks" | "size" | "endIsProven"> {
  // If a body ends with its connection, Node reports a reset only to the request, and ends the body as if it were whole.
  message.req?.once("error", (error) => message.destroy(error));
  const length = Number(headers["content-length"] ?? Number.NaN);
  const endIsProven = !Number.isNaN(length) || /chunked\s*$/i.test(String(headers["transfer-encoding"]));

  const encoding = String(headers["content-encoding"] ?? "").toLowerCase();
  if (encoding === "" || encoding === "identity") {
    return { chunks: message, size: Number.isSafeInteger(length) ? length : undefined, endIsProven };
  }
  if (!Object.hasOwn(decoders, encoding)) throw networkError(facts, new Error("The content encoding is not known"));
  return { chunks: decode(message, encoding as keyof typeof decoders, facts), size: undefined, endIsProven: true };
}

async function* decode(message: IncomingMessage, encoding: keyof typeof decoders, facts: RequestFacts) {
  const decoder = decoders[encoding]();
  // Errors of the message become errors of the decoder.
  pipeline(message, decoder, () => undefined);
  let size = 0;
  for await (const chunk of decoder as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    const limit = Math.max(EXPANDED_BYTES, MAX_EXPANSION * decoder.bytesWritten);
    if (size > limit) throw responseTooLarge(facts, limit);
    yield chunk;
  }
}
