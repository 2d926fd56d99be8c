import { GetObjectCommand, type GetObjectCommandOutput } from "@aws-sdk/client-s3";
import { isKeeplightError, type KeeplightError } from "keeplight";
import { sourceChanged } from "keeplight/parts";
import type { S3File } from "./bucket.ts";
import { isOutage, networkError, unreadable } from "./errors.ts";
import { listSomeKeys } from "./list-objects.ts";
import { createTries, type OpenRequest, type Requests } from "./requests.ts";

/** How far the reading of an object is. */
interface Position {
  /** Bytes that were passed on. */
  at: number;
  /** Of the object that they belong to, once that is known. */
  etag: string | undefined;
}

/** Codes of objects that are gone, or in an archive. */
const OF_ONE_OBJECT = new Set(["NoSuchKey", "InvalidObjectState"]);

/** Codes of an object that is not what was asked for: another version, or a shorter one. */
const OF_ANOTHER_VERSION = new Set(["PreconditionFailed", "InvalidRange"]);

/** Objects that are tried, to find out whether any can be read. */
const OTHERS = 8;

/** How often an object fails, while others are read, before that is its own fault. */
const FAILURES_ALONE = 10;

/** Creates what reads the objects of a bucket. */
export function createReader(requests: Requests) {
  const { bucket: Bucket, prefix, client, place, start } = requests;
  const lone = createLoneFailures();
  /** Key of the object that was read last. */
  let lastRead: string | undefined;

  /** Yields the bytes of an object; see `S3Source`. A body that breaks off is continued where it was. */
  async function* read(file: S3File, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const position: Position = { at: 0, etag: file.etag };
    const tries = createTries(signal);
    for (;;) {
      const before = position.at;
      try {
        yield* readOnce(file, position, signal);
        lastRead = prefix + file.path;
        return lone.succeeded(file.path);
      } catch (error) {
        if (position.at > before) tries.reset();
        const isWhole = position.at > 0 && (position.at === file.size || position.etag === undefined);
        const failure = await explain(error, file, signal);
        if (isWhole) throw fail(failure, file);
        await tries.next(failure).catch((last: KeeplightError) => {
          throw fail(last, file);
        });
      }
    }
  }

  async function* readOnce(file: S3File, position: Position, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const { path, size } = file;
    const { at, etag } = position;
    const request = start("GetObject", signal);
    const IfMatch = etag === undefined ? {} : { IfMatch: etag };
    const Range = at === 0 ? {} : { Range: `bytes=${at}-` };
    const command = new GetObjectCommand({ Bucket, Key: prefix + path, ...IfMatch, ...Range });
    try {
      request.expect();
      const response = await client.send(command, request.options);
      checkVersion(response, file, position);
      position.etag ??= response.ETag;
      for await (const chunk of toChunks(response)) {
        request.rest();
        position.at += chunk.length;
        if (position.at > size) throw sourceChanged(path, size, position.at);
        yield chunk;
        request.expect();
      }
      if (position.at < size) throw networkError(request.facts, "the body is too short");
    } catch (error) {
      throw request.translate(error);
    } finally {
      request.end();
    }
  }

  /** Returns what an error says: about the object, the whole bucket, or for how long neither is known. */
  async function explain(thrown: unknown, file: S3File, signal: AbortSignal): Promise<unknown> {
    if (!isKeeplightError(thrown, "SOURCE_UNREADABLE")) return thrown;
    const { code = "UNKNOWN" } = thrown.details;
    if (OF_ANOTHER_VERSION.has(code)) return sourceChanged(file.path, file.size, file.size);
    const isOfObject = OF_ONE_OBJECT.has(code) || (await canReadAnother(prefix + file.path, signal));
    return isOfObject ? unreadable(file.path, code) : thrown;
  }

  /** Whether another object can be read: a refusal is about the one that was refused. */
  async function canReadAnother(refused: string, signal: AbortSignal): Promise<boolean> {
    const isOther = (key: string) => key !== refused;
    if (lastRead !== undefined && isOther(lastRead) && (await canRead(lastRead, signal))) return true;
    const keys = await listSomeKeys(requests, OTHERS, signal).catch((error: unknown) => {
      if (isKeeplightError(error, "SOURCE_UNREADABLE")) return [];
      throw error;
    });
    for (const key of keys.filter(isOther)) if (await canRead(key, signal)) return true;
    return false;
  }

  async function canRead(Key: string, signal: AbortSignal): Promise<boolean> {
    const request: OpenRequest = start("GetObject", signal);
    try {
      request.expect();
      await client.send(new GetObjectCommand({ Bucket, Key }), request.options);
      return true;
    } catch (error) {
      const failure = request.translate(error);
      if (isOutage(failure)) throw failure;
      return false;
    } finally {
      request.end();
    }
  }

  /** Returns the error to throw for an object that could not be read. */
  function fail(error: unknown, { path }: S3File): unknown {
    if (!isKeeplightError(error) || !isOutage(error)) return error;
    return lone.failed(path, error) ? unreadable(path, error.code) : error;
  }

  /** Throws `SOURCE_CHANGED` unless a response is about the object that was listed, from the position on. */
  function checkVersion(
    { ContentLength, ContentRange, LastModified, ETag }: GetObjectCommandOutput,
    { path, size, mtime }: S3File,
    { at, etag }: Position,
  ): void {
    const length = ContentLength ?? size - at;
    const isFrom = at === 0 || ContentRange?.startsWith(`bytes ${at}-`) === true;
    if (!isFrom) throw networkError({ method: "GetObject", url: place }, "another part was sent");
    // Listings have milliseconds in some buckets, headers never.
    const isSameTime = mtime === undefined || !LastModified || toSeconds(mtime) === toSeconds(LastModified.getTime());
    const isSame = at + length === size && isSameTime && (etag === undefined || ETag === undefined || ETag === etag);
    if (!isSame) throw sourceChanged(path, size, at + length);
  }

  return { read };
}

const toSeconds = (ms: number) => Math.floor(ms / 1_000);

/** In Node a body is a stream of Node, or one of the system's fetch: both can be iterated. */
function toChunks({ Body }: GetObjectCommandOutput): AsyncIterable<Uint8Array> {
  return (Body ?? []) as AsyncIterable<Uint8Array>;
}

/**
 * Creates what finds objects that fail again and again while others are read: it is no outage that they wait for. A bucket that
 * only is asked too much says so.
 */
function createLoneFailures() {
  let reads = 0;
  const failing = new Map<string, { reads: number; alone: number }>();
  return {
    succeeded(path: string): void {
      reads++;
      failing.delete(path);
    },
    /** Whether a failure is one too many. */
    failed(path: string, error: KeeplightError): boolean {
      const { status } = error.details as { status?: unknown };
      if (status === 429 || status === 503) return false;
      const last = failing.get(path);
      const alone = (last?.alone ?? 0) + (last !== undefined && last.reads < reads ? 1 : 0);
      failing.set(path, { reads, alone });
      if (alone < FAILURES_ALONE) return false;
      failing.delete(path);
      return true;
    },
  };
}
