import { sourceChanged } from "../base/errors/input.ts";
import { toHex } from "../base/streams/bytes.ts";
import type { SourceFile } from "./types.ts";

/** Parts of a body: all of them, or those that become known while it is sent; they end when `signal` fires. */
export type Parts = readonly SourceFile[] | ((signal: AbortSignal) => AsyncIterable<SourceFile>);

export interface MultipartOptions {
  signal: AbortSignal;
  /** Receives how many bytes were taken. */
  onSent?: ((bytes: number) => void) | undefined;
  /** Receives the bytes of a source before they are yielded. */
  onChunk?: (part: SourceFile, chunk: Uint8Array) => void;
}

/** Creates a body of one `file` field per part. Its chunks throw `SOURCE_CHANGED`, and what the sources throw. */
export function createMultipartBody(parts: Parts, { signal, onSent, onChunk }: MultipartOptions) {
  const framing = createFraming();
  let failure: unknown;
  let isStarted = false;
  let isComplete = false;

  async function* generate(): AsyncGenerator<Uint8Array> {
    isStarted = true;
    let sent = 0;
    try {
      for await (const part of typeof parts === "function" ? parts(signal) : parts) {
        yield framing.head(part.name, getContentType(part));
        for await (const chunk of readExactly(part, signal)) {
          // Once sent, its memory may be freed, which makes it empty.
          const { length } = chunk;
          onChunk?.(part, chunk);
          yield chunk;
          sent += length;
          onSent?.(sent);
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
    /** In bytes, if all sizes are known. */
    length: computeLength(parts, framing),
    /** The body, one open source at a time; to be read once. */
    chunks: generate(),
    /** Whether its first byte was requested. */
    isStarted: () => isStarted,
    /** Whether its last byte is handed over. */
    isComplete: () => isComplete,
    /** Why a source could not be read, if so. */
    failure: () => failure,
  };
}

/** A body that is generated while it is sent. */
export type GeneratedBody = ReturnType<typeof createRawBody> | ReturnType<typeof createMultipartBody>;

/**
 * Creates a body of one source alone, as {@link createMultipartBody} does for several; its size must be known. Its last bytes
 * are yielded only once the source has ended: until then, nobody has all of it.
 */
export function createRawBody(part: SourceFile, { signal, onSent, onChunk }: MultipartOptions) {
  const { size: length = 0 } = part;
  let failure: unknown;
  let isComplete = false;

  async function* generate(): AsyncGenerator<Uint8Array> {
    let sent = 0;
    async function* release(chunk: Uint8Array): AsyncGenerator<Uint8Array> {
      // Once sent, its memory may be freed, which makes it empty.
      sent += chunk.length;
      onChunk?.(part, chunk);
      yield chunk;
      onSent?.(sent);
    }
    try {
      let held: Uint8Array | undefined;
      for await (const chunk of readExactly(part, signal)) {
        if (held) yield* release(held);
        held = chunk;
      }
      isComplete = true;
      if (held) yield* release(held);
    } catch (error) {
      failure = error;
      throw error;
    }
  }

  return {
    contentType: getContentType(part),
    length,
    chunks: generate(),
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

function computeLength(parts: Parts, framing: ReturnType<typeof createFraming>): number | undefined {
  if (typeof parts === "function") return undefined;
  let length = framing.end.length;
  for (const part of parts) {
    if (part.size === undefined) return undefined;
    length += framing.head(part.name, getContentType(part)).length + part.size + framing.foot.length;
  }
  return length;
}

const utf8 = new TextEncoder();

/** Creates the framing of a `multipart/form-data` body (RFC 7578), as browsers format it, for the field `file`. */
export function createFraming() {
  const boundary = `----keeplight${toHex(crypto.getRandomValues(new Uint8Array(16)))}`;
  return {
    boundary,
    contentType: `multipart/form-data; boundary=${boundary}`,
    /** Precedes a file's bytes. */
    head: (fileName: string, type: string) =>
      utf8.encode(
        `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${escapeName(fileName)}"\r\n` +
          `Content-Type: ${type}\r\n\r\n`,
      ),
    /** Follows a file's bytes. */
    foot: utf8.encode("\r\n"),
    end: utf8.encode(`--${boundary}--\r\n`),
  };
}

/** Encodes a file name as WHATWG forms do: escapes only what would end the quotes. */
function escapeName(fileName: string): string {
  return fileName.replace(/\r/g, "%0D").replace(/\n/g, "%0A").replace(/"/g, "%22");
}
