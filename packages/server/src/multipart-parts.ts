import { invalidSource } from "keeplight/parts";
import { checkFileName, readMediaType } from "./file-facts.ts";

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
  const takeAscii = async (length: number) => String.fromCharCode(...(await reader.take(length)));
  if ((await takeAscii(boundary.length + 2)) !== `--${boundary}`) throw malformed();
  for (;;) {
    const after = await takeAscii(2);
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

function malformed() {
  return invalidSource("the form is malformed or incomplete");
}

/** What a part of a form says of itself. The client may have made up all of it. */
interface PartHead {
  /** Name of the form's field. */
  field: string;
  /**
   * Path of a file with `/`, no part of which is empty, `.` or `..`. It is empty for a file input that was left empty, and
   * `undefined` for text.
   */
  name: string | undefined;
  /** In lower case, without parameters. */
  type: string;
}

/** By RFC 6838, section 4.2. */

/** Reads the lines before the bytes of a part; throws `INVALID_SOURCE` for anything but a file or text of a form. */
function readPartHead(bytes: Uint8Array): PartHead {
  const headers = new Map<string, string>();
  for (const line of decode(bytes).split("\r\n")) {
    const [name = "", ...values] = line.split(":");
    const isValid = /^[!#$%&'*+.^_`|~\w-]+$/.test(name) && values.length > 0 && !/[\r\n]/.test(line);
    if (!isValid || headers.has(name.toLowerCase())) throw invalidSource("a part of the form has invalid headers");
    // No pattern that ends in white space: it would try every start of it, for hours.
    headers.set(name.toLowerCase(), values.join(":").trim());
  }
  const disposition = headers.get("content-disposition") ?? "";
  // As the WHATWG HTML Standard encodes it: a quotation mark always ends the value.
  const [, field, fileName] = /^form-data; name="([^"]*)"(?:; filename="([^"]*)")?$/i.exec(disposition) ?? [];
  if (field === undefined) throw invalidSource("expected the files and texts of a form");
  return {
    field: unescapeQuoted(field),
    // A file input that was left empty sends an empty name.
    name: fileName === undefined || fileName === "" ? fileName : checkFileName(unescapeQuoted(fileName)),
    type: readMediaType(headers.get("content-type") ?? ""),
  };
}

/** Undoes the escapes of the WHATWG HTML Standard, section 4.10.22.8 (multipart form data). */
function unescapeQuoted(value: string): string {
  return value.replace(/%22/g, '"').replace(/%0d|%0a/gi, "\n");
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw invalidSource("a part of the form has invalid headers");
  }
}

/**
 * Creates a reader of a stream up to delimiters, which holds one chunk of it and the length of a delimiter.
 *
 * @param chunks - each is used until the next one is requested
 */
function createBodyReader(chunks: AsyncIterator<Uint8Array>) {
  let unread: Uint8Array = new Uint8Array(0);

  /** Appends the next chunk; returns whether there is one. */
  async function fill(): Promise<boolean> {
    const { done, value } = await chunks.next();
    if (done) return false;
    unread = unread.length === 0 ? value : concat(unread, value);
    return true;
  }

  function shift(length: number): Uint8Array {
    const taken = unread.subarray(0, length);
    unread = unread.subarray(length);
    return taken;
  }

  return {
    /** Reads exactly so many bytes; fewer if the stream ends. */
    async take(length: number): Promise<Uint8Array> {
      while (unread.length < length && (await fill()));
      return shift(length);
    },
    /** Reads up to a delimiter, which is skipped; `undefined` if it does not come within so many bytes. */
    async takeUntil(delimiter: Uint8Array, maxBytes: number): Promise<Uint8Array | undefined> {
      for (;;) {
        const at = findBytes(unread, delimiter);
        if (at >= 0) {
          const taken = shift(at);
          shift(delimiter.length);
          return taken.length > maxBytes ? undefined : taken;
        }
        if (unread.length > maxBytes || !(await fill())) return undefined;
      }
    },
    /** Yields all bytes up to a delimiter, which is skipped; returns whether it came before the end. */
    async *chunksUntil(delimiter: Uint8Array): AsyncGenerator<Uint8Array, boolean> {
      for (;;) {
        const at = findBytes(unread, delimiter);
        if (at >= 0) {
          if (at > 0) yield shift(at);
          shift(delimiter.length);
          return true;
        }
        // The delimiter may have started in the last bytes.
        const certain = unread.length - delimiter.length + 1;
        if (certain > 0) yield shift(certain);
        if (!(await fill())) return false;
      }
    },
  };
}

function concat(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

function findBytes(bytes: Uint8Array, wanted: Uint8Array): number {
  const [first = 0] = wanted;
  for (let at = bytes.indexOf(first); at >= 0; at = bytes.indexOf(first, at + 1)) {
    let matched = 1;
    while (matched < wanted.length && bytes[at + matched] === wanted[matched]) matched++;
    if (matched === wanted.length) return at;
  }
  return -1;
}
