import { sourceChanged } from "../base/errors/input.ts";
import { toHex } from "../base/streams/bytes.ts";
import type { SourceFile } from "./types.ts";

/** A multipart body that is generated while it is sent. */
export interface MultipartBody {
  /** Header of that name. */
  contentType: string;
  /** In bytes, if all sizes are known. */
  length: number | undefined;
  /** The body, one open source at a time; to be read once. */
  chunks: AsyncGenerator<Uint8Array>;
  /** Whether its first byte was requested. */
  isStarted(): boolean;
  /** Whether its last byte is handed over. */
  isComplete(): boolean;
  /** Why a source could not be read, if so. */
  failure(): unknown;
}

/** Parts of a body: all of them, or those that become known while it is sent; they end when `signal` fires. */
export type Parts = readonly SourceFile[] | ((signal: AbortSignal) => AsyncIterable<SourceFile>);

/**
 * Creates a body of one `file` field per part.
 *
 * @param options - `onChunk` receives the bytes of a source before they are yielded; `onSent` how many were taken
 * @throws in its chunks: `SOURCE_CHANGED`, what the sources throw
 */
export function createMultipartBody(
  parts: Parts,
  options: {
    signal: AbortSignal;
    onSent?: ((bytes: number) => void) | undefined;
    onChunk?: (part: SourceFile, chunk: Uint8Array) => void;
  },
): MultipartBody {
  const framing = createFraming();
  let failure: unknown;
  let isStarted = false;
  let isComplete = false;

  async function* generate(): AsyncGenerator<Uint8Array> {
    isStarted = true;
    let sent = 0;
    try {
      for await (const part of typeof parts === "function" ? parts(options.signal) : parts) {
        yield framing.head(part.name, getContentType(part));
        for await (const chunk of readExactly(part, options.signal)) {
          // Once sent, its memory may be freed, which makes it empty.
          const { length } = chunk;
          options.onChunk?.(part, chunk);
          yield chunk;
          sent += length;
          options.onSent?.(sent);
        }
        yield framing.foot;
      }
      // Before: a server may respond to it while nothing more is requested.
      isComplete = true;
      yield framing.end;
    } catch (error) {
      failure = error;
      throw error;
    }
  }

  return {
    contentType: framing.contentType,
    length: computeLength(parts, framing),
    chunks: generate(),
    isStarted: () => isStarted,
    isComplete: () => isComplete,
    failure: () => failure,
  };
}

/** Returns the type of a File or a Blob, and `application/octet-stream` for anything else, as browsers do. */
function getContentType({ type, blob }: SourceFile): string {
  return type || blob?.type || "application/octet-stream";
}

/** Yields a source's bytes; throws as soon as they are more or fewer than announced. */
async function* readExactly(part: SourceFile, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  let got = 0;
  for await (const chunk of part.open(signal)) {
    got += chunk.length;
    if (part.size !== undefined && got > part.size) throw sourceChanged(part.name, part.size, got);
    if (chunk.length > 0) yield chunk;
  }
  if (part.size !== undefined && got !== part.size) throw sourceChanged(part.name, part.size, got);
}

function computeLength(parts: Parts, framing: MultipartFraming): number | undefined {
  if (typeof parts === "function") return undefined;
  let length = framing.end.length;
  for (const part of parts) {
    if (part.size === undefined) return undefined;
    length += framing.head(part.name, getContentType(part)).length + part.size + framing.foot.length;
  }
  return length;
}

/** The framing of one `multipart/form-data` body (RFC 7578), as browsers format it. */
export interface MultipartFraming {
  boundary: string;
  contentType: string;
  /** Precedes a file's bytes. */
  head(fileName: string, type: string): Uint8Array;
  /** Follows a file's bytes. */
  foot: Uint8Array;
  /** Ends the body. */
  end: Uint8Array;
}

const utf8 = new TextEncoder();

/** Creates the framing with a random boundary, for parts of the form field `file`. */
export function createFraming(): MultipartFraming {
  const boundary = `----keeplight${toHex(crypto.getRandomValues(new Uint8Array(16)))}`;
  return {
    boundary,
    contentType: `multipart/form-data; boundary=${boundary}`,
    head: (fileName, type) =>
      utf8.encode(
        `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${escapeName(fileName)}"\r\n` +
          `Content-Type: ${type}\r\n\r\n`,
      ),
    foot: utf8.encode("\r\n"),
    end: utf8.encode(`--${boundary}--\r\n`),
  };
}

/** Encodes a file name as WHATWG forms do: escapes only what would end the quotes. */
function escapeName(fileName: string): string {
  return fileName.replace(/\r/g, "%0D").replace(/\n/g, "%0A").replace(/"/g, "%22");
}
