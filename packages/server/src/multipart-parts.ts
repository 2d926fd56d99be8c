import { invalidSource } from "keeplight/parts";
import { createBodyReader } from "./body-reader.ts";
import { type PartHead, readPartHead } from "./part-head.ts";

/** One file or text of a form. */
export interface FormPart extends PartHead {
  /** Its bytes; to be read before the next part is requested. */
  chunks: AsyncGenerator<Uint8Array>;
}

const encoder = new TextEncoder();
const HEAD_END = encoder.encode("\r\n\r\n");
/** Bytes of a part before those of its file or text. */
export const MAX_HEAD_BYTES = 16 * 1024;
/** What may follow a form's end; browsers send a line break. */
const MAX_EPILOGUE_BYTES = 1024;

/**
 * Yields the parts of a form (RFC 7578) one after another. Strict where parsers differ: no preamble, no white space after
 * a boundary. A byte is in memory only until it was read.
 *
 * @throws `INVALID_SOURCE`; what `body` throws
 */
export async function* readParts(body: AsyncIterator<Uint8Array>, boundary: string): AsyncGenerator<FormPart> {
  const reader = createBodyReader(body);
  const delimiter = encoder.encode(`\r\n--${boundary}`);
  const opening = await reader.take(delimiter.length - 2);
  if (!equals(opening, delimiter.subarray(2))) throw malformed();
  for (;;) {
    const after = String.fromCharCode(...(await reader.take(2)));
    if (after === "--") break;
    if (after !== "\r\n") throw malformed();
    const head = await reader.takeUntil(HEAD_END, MAX_HEAD_BYTES);
    if (!head) throw malformed();
    let isRead = false;
    async function* read(): AsyncGenerator<Uint8Array> {
      isRead = yield* reader.chunksUntil(delimiter);
      if (!isRead) throw malformed();
    }
    yield { ...readPartHead(head), chunks: read() };
    if (!isRead) throw malformed();
  }
  const epilogue = await reader.take(MAX_EPILOGUE_BYTES);
  if (epilogue.length === MAX_EPILOGUE_BYTES) throw malformed();
}

/** Returns the boundary in a `Content-Type`; throws `INVALID_SOURCE` for anything but a form. */
export function readBoundary(contentType: string | null): string {
  // Characters and length by RFC 2046, section 5.1.1.
  const match = /^multipart\/form-data;(?:.*;)?\s*boundary=(?:"([^"]+)"|([^\s;"]+))\s*(?:;|$)/i.exec(contentType ?? "");
  const boundary = match?.[1] ?? match?.[2] ?? "";
  if (!/^[\w'()+,./:=?-](?:[\w'()+,./:=? -]{0,68}[\w'()+,./:=?-])?$/.test(boundary)) {
    throw invalidSource("expected a form (multipart/form-data)");
  }
  return boundary;
}

function equals(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}

function malformed() {
  return invalidSource("the form is malformed or incomplete");
}
