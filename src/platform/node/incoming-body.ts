import type { ClientRequest, IncomingMessage } from "node:http";
import { pipeline } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import type { RequestFacts } from "../../errors/facts.ts";
import { networkError, responseTooLarge } from "../../errors/transport.ts";
import type { StackResponse } from "../types.ts";

/** Each fails at an end that is not the end of its format, unlike what axios sets up. */
const decoders = { gzip: createGunzip, "x-gzip": createGunzip, deflate: createInflate, br: createBrotliDecompress };

/** A compressed body may expand to this many bytes, and beyond that to so many times what came in. */
const EXPANDED_BYTES = 64 * 1024 * 1024;
const MAX_EXPANSION = 100;

/**
 * The body of a response. Files are requested uncompressed; a gateway that compresses them nevertheless is decoded
 * strictly and within measure.
 */
export function openBody(
  headers: StackResponse["headers"],
  message: IncomingMessage & { req?: ClientRequest },
  facts: RequestFacts,
): Pick<StackResponse, "chunks" | "size" | "endIsProven"> {
  // Of a body that ends with its connection, Node reports a reset to the request only, and then ends it as if it were whole.
  message.req?.once("error", (error) => message.destroy(error));
  const length = Number(headers["content-length"] ?? Number.NaN);
  const endIsProven = !Number.isNaN(length) || /chunked\s*$/i.test(String(headers["transfer-encoding"]));

  const encoding = String(headers["content-encoding"] ?? "").toLowerCase();
  if (encoding === "" || encoding === "identity") {
    return { chunks: message, size: Number.isSafeInteger(length) ? length : undefined, endIsProven };
  }
  if (!Object.hasOwn(decoders, encoding)) throw networkError(facts, new Error("The content encoding is not known"));
  return { chunks: decoded(message, encoding as keyof typeof decoders, facts), size: undefined, endIsProven };
}

async function* decoded(message: IncomingMessage, encoding: keyof typeof decoders, facts: RequestFacts) {
  const decoder = decoders[encoding]();
  // The decoder fails with whatever the message fails with.
  pipeline(message, decoder, () => undefined);
  let size = 0;
  for await (const chunk of decoder as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    const limit = Math.max(EXPANDED_BYTES, MAX_EXPANSION * decoder.bytesWritten);
    if (size > limit) throw responseTooLarge(facts, limit);
    yield chunk;
  }
}
