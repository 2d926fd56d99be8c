import { filesAt } from "#platform";
import { isKeeplightError } from "../../base/errors/base.ts";
import { invalidSource, sourceUnreadable } from "../../base/errors/input.ts";
import { copyInput } from "../../base/operation.ts";
import { SEGMENT_BYTES } from "../../base/streams/bytes.ts";
import { discardChunks, toChunks } from "../../base/streams/chunks.ts";
import type { SourceFile, WalkOptions } from "../../platform/types.ts";

/** Bytes in chunks. */
export type ChunkStream = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

/**
 * A stream with a file's name and size. It can be read once, and an upload takes ownership of it: the stream is
 * cancelled even if the upload is refused.
 */
export interface NamedStream {
  /** File name; folders are separated by `/`. */
  name: string;
  /** In bytes, if known: then the upload announces its length, and a stream of another length is refused. */
  size?: number | undefined;
  /** Its bytes, read once. */
  stream: ChunkStream;
}

/** In Node: a file that is sent under another name than its own, such as one of the files of a folder. */
export interface NamedFile {
  /** File name; folders are separated by `/`. */
  name: string;
  /** Path, or `file:` URL, of the file. */
  path: string | URL;
}

/** One thing to upload. */
export type SingleSource =
  /** In Node: the path of a file or a folder. */
  | string
  /** In Node: a `file:` URL of a file or a folder. */
  | URL
  /** A `File` is named by its `webkitRelativePath` or its name. */
  | Blob
  | Uint8Array
  | ArrayBuffer
  | NamedStream
  | NamedFile
  /** A bare stream requires the option `name`. */
  | ChunkStream;

/** A page's `FileList`, typed by structure: without DOM types, the name `FileList` would resolve to `any`. */
export interface FileListLike {
  /** Number of files. */
  readonly length: number;
  /** Returns the file at an index. */
  item(index: number): Blob | null;
  readonly [index: number]: Blob;
}

/** What can be uploaded: a file or folder, bytes, a stream, or several of these. */
export type Source = SingleSource | readonly SingleSource[] | FileListLike;

/**
 * Lists the files of a source, in its order, without reading them.
 *
 * @param options - `name` is for a single source that has none of its own; the others are about folders
 * @throws `INVALID_SOURCE`, `SOURCE_UNREADABLE`, `UNSUPPORTED` (a path in a page), `ABORTED`
 */
export async function listSourceFiles(
  source: Source,
  options: { name: string | undefined; signal: AbortSignal | undefined } & WalkOptions,
): Promise<SourceFile[]> {
  const list = isList(source) ? Array.from(source) : [source];
  if (list.length === 0) throw invalidSource("it is empty");
  if (options.name !== undefined) {
    if (list.length > 1) throw invalidSource("the option name is for a single source");
    checkName(options.name);
  }
  const files: SourceFile[] = [];
  for (const item of list) files.push(...(await listSingleSource(item, options)));
  for (const file of files) checkName(file.name);
  return files;
}

/** Encodes a string; throws `INVALID_SOURCE` for anything else, which would be converted to another string. */
export function encodeUtf8(text: unknown): Uint8Array<ArrayBuffer> {
  if (typeof text !== "string") throw invalidSource("expected a string");
  return new TextEncoder().encode(text);
}

/** Streams that were started: their reader also cancels them. */
const startedStreams = new WeakSet<object>();

/** Copies lists, and the fields of named streams; a page changes its `FileList` when people pick files again. */
export function copySource<Given>(source: Given): Given {
  const list: unknown = isList(source) ? Array.from(source) : source;
  return copyInput(list, "source") as Given;
}

/**
 * Runs `call` with a copy of `source`, which it takes ownership of. Streams it never started reading are cancelled when it
 * settles.
 */
export async function withSourceCleanup<T>(source: Source, call: (source: Source) => Promise<T>): Promise<T> {
  const copy = copySource(source);
  const streams = collectStreams(copy);
  for (const stream of streams) {
    // An unhandled 'error' of a Node stream would crash the process; the error surfaces when the stream is read.
    if ("on" in stream && typeof stream.on === "function") stream.on("error", () => undefined);
  }
  try {
    return await call(copy);
  } finally {
    for (const stream of streams) if (!startedStreams.has(stream)) discardChunks(stream);
  }
}

function collectStreams(source: unknown): ChunkStream[] {
  return (Array.isArray(source) ? source : [source]).flatMap((item: unknown) => {
    if (isChunkStream(item)) return [item];
    const stream = typeof item === "object" && item !== null && "stream" in item ? item.stream : undefined;
    return isChunkStream(stream) ? [stream] : [];
  });
}

async function listSingleSource(
  item: SingleSource,
  { name, signal, onUnreadable, enters }: Parameters<typeof listSourceFiles>[1],
): Promise<SourceFile[]> {
  if (typeof item === "string" || item instanceof URL) {
    const files = await filesAt(item, signal, { onUnreadable, enters });
    const [only] = files;
    if (name === undefined || files.length > 1 || !only) return files;
    // The name is not that of a file in the folder.
    const { folder: _, ...file } = only;
    return [{ ...file, name }];
  }
  if (isNamedFile(item)) return [await fromNamedFile(name === undefined ? item : { ...item, name }, signal)];
  if (item instanceof Blob) return [fromBlob(item, name)];
  if (isTagged<Uint8Array>(item, "Uint8Array")) return [toSourceFile(item, name)];
  if (isTagged<ArrayBuffer>(item, "ArrayBuffer")) return [toSourceFile(new Uint8Array(item), name)];
  if (isChunkStream(item)) {
    if (name === undefined) throw invalidSource("a bare stream requires the option name");
    return [fromStream({ name, stream: item })];
  }
  if (isNamedStream(item)) return [fromStream(name === undefined ? item : { ...item, name })];
  throw invalidSource("expected a path, a URL, a File, a Blob, bytes or a stream");
}

async function fromNamedFile({ name, path }: NamedFile, signal: AbortSignal | undefined): Promise<SourceFile> {
  checkName(name);
  const [file] = await filesAt(path, signal);
  if (!file || file.folder !== undefined) throw invalidSource("the path of a named file is that of a folder", { name });
  const folder = name.includes("/") ? name.split("/")[0] : undefined;
  return { ...file, name, ...(folder && { folder }) };
}

function fromBlob(blob: Blob, name: string | undefined): SourceFile {
  const path =
    "webkitRelativePath" in blob && typeof blob.webkitRelativePath === "string" ? blob.webkitRelativePath : "";
  const folder = path.includes("/") ? path.split("/")[0] : undefined;
  const ownName = path || ("name" in blob && typeof blob.name === "string" && blob.name) || "blob";
  return {
    name: name ?? ownName,
    size: blob.size,
    ...(name === undefined && folder ? { folder } : {}),
    open: (signal, reuse) =>
      wrapReadErrors(ownName, toChunks(blob.stream(), signal, reuse ? Math.min(blob.size, SEGMENT_BYTES) : 0)),
    rereadable: true,
    blob,
  };
}

export function toSourceFile(bytes: Uint8Array, name = "blob"): SourceFile {
  async function* open(): AsyncGenerator<Uint8Array> {
    yield bytes;
  }
  return { name, size: bytes.length, open, rereadable: true };
}

function fromStream({ name, size, stream }: NamedStream): SourceFile {
  if (size !== undefined && (!Number.isSafeInteger(size) || size < 0)) {
    throw invalidSource("the size of a stream is a whole number of bytes");
  }
  let opened = false;
  async function* open(signal: AbortSignal): AsyncGenerator<Uint8Array> {
    if (opened) throw invalidSource("a stream can be read only once", { name });
    opened = true;
    startedStreams.add(stream);
    for await (const chunk of wrapReadErrors(name, toChunks(stream, signal))) {
      if (!isTagged(chunk, "Uint8Array")) throw invalidSource("a stream yielded something else than bytes", { name });
      yield chunk;
    }
  }
  return { name, size, open };
}

/** Throws errors of a stream from outside this package as `SOURCE_UNREADABLE`. */
async function* wrapReadErrors(name: string, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (error) {
    throw isKeeplightError(error) ? error : sourceUnreadable(name, error);
  }
}

/** Not `instanceof`: bytes of another realm, such as a frame, are accepted too. */
function isTagged<Bytes>(value: unknown, tag: "Uint8Array" | "ArrayBuffer"): value is Bytes {
  return Object.prototype.toString.call(value) === `[object ${tag}]`;
}

function isList(source: unknown): source is readonly SingleSource[] | FileListLike {
  return Array.isArray(source) || (typeof FileList !== "undefined" && source instanceof FileList);
}

export function isChunkStream(value: unknown): value is ChunkStream {
  return typeof value === "object" && value !== null && ("getReader" in value || Symbol.asyncIterator in value);
}

function isNamedStream(value: unknown): value is NamedStream {
  if (typeof value !== "object" || value === null || !("name" in value) || !("stream" in value)) return false;
  return isChunkStream(value.stream);
}

function isNamedFile(value: unknown): value is NamedFile {
  if (typeof value !== "object" || value === null || value instanceof Blob) return false;
  return "name" in value && "path" in value && (typeof value.path === "string" || value.path instanceof URL);
}

function checkName(name: unknown): void {
  if (typeof name !== "string" || name === "") throw invalidSource("a file name is empty");
  if (name.split("/").some((segment) => segment === "" || segment === "." || segment === "..")) {
    throw invalidSource("a file name has an empty, '.' or '..' part", { name });
  }
}
