import type { Gcm } from "../aes-gcm/gcm.ts";
import type { RequestFacts } from "../errors/facts.ts";

/** One file to send, wherever its bytes are. */
export interface SourceFile {
  /** As it goes over the wire; folders are separated by `/`. */
  name: string;
  /** In bytes, where it is known beforehand. */
  size: number | undefined;
  /** The folder it was found in, which `name` begins with. */
  folder?: string;
  /** Its bytes. Ends early, and lets go of whatever it holds, when `signal` fires. */
  open(signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** The same bytes where they are a Blob already. */
  blob?: Blob;
}

/**
 * Takes bytes piece after piece and gives them out only when {@link Sink.commit} is called, so that
 * nothing is released before it may be trusted.
 */
export interface Sink<Result> {
  write(piece: Uint8Array): Promise<void>;
  /** All bytes are in and trusted: hand the result out. */
  commit(): Promise<Result>;
  /** Forget everything written and leave nothing behind. Does nothing after a commit. */
  abandon(): Promise<void>;
}

/** A sink whose bytes can be read again before anything is released. */
export interface RereadableSink<Result> extends Sink<Result> {
  /** The bytes written, instead of a commit; {@link Sink.abandon} is still to be called. */
  reread(): AsyncIterable<Uint8Array>;
}

/** Bytes kept outside the heap for a while. */
export interface Spooled {
  /** The bytes again; what was kept is gone once they are read or the stream is cancelled. */
  stream(): ReadableStream<Uint8Array>;
  discard(): Promise<void>;
}

/** A file that was written. */
export interface SavedFile {
  /** Absolute path. */
  path: string;
  /** In bytes. */
  size: number;
}

/** Receives the state of a transfer, so that a peer that stalls is noticed. */
export interface TransferWatch {
  /** The peer has to send or take bytes from now on; called again at every sign of life. */
  expect(): void;
  /** Nothing is expected of the peer. */
  rest(): void;
}

/** A body other than JSON: a stream in Node, a form in a page. */
export interface RequestBody {
  data: unknown;
  headers: Record<string, string>;
  /** Called with the bytes that a page's own sender has sent; a stream counts for itself. */
  onSent?: ((bytes: number) => void) | undefined;
  /** Called with Node's own request when it failed: only that knows what has left the machine. */
  onFailure?: ((request: unknown) => void) | undefined;
}

/** One request, as an {@link HttpStack} sends it. */
export interface StackRequest {
  method: string;
  /** Without credentials. */
  url: string;
  headers: Readonly<Record<string, string>>;
  /** JSON, or what {@link Platform.uploadBody} made. */
  body?: string | RequestBody | undefined;
  /** Ends the request, or the response that is being read. */
  signal: AbortSignal;
  /** Sent over a new connection and never repeated: what it does must not be done twice. */
  once: boolean;
  watch: TransferWatch;
  facts: RequestFacts;
}

/** A response whose headers have arrived, with its decoded body. */
export interface StackResponse {
  status: number;
  /** By name in lower case. A page sees only those that the service exposes to it. */
  headers: Readonly<Record<string, unknown>>;
  chunks: AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>;
  /** Bytes to come, where the service announces them. */
  size: number | undefined;
  /** Whether a truncated body fails. It cannot be detected where the end of the connection is the end of the body. */
  endIsProven: boolean;
  /** Closes the connection unless both bodies were transferred to their ends. */
  close(): void;
}

/** Sends requests by the runtime's own means. */
export interface HttpStack {
  /**
   * Resolves once the headers of a response have arrived, regardless of its status. Only a GET follows redirects, where
   * the runtime leaves the choice.
   *
   * @throws the runtime's own error
   */
  send(request: StackRequest): Promise<StackResponse>;
}

/** A multipart body, and what became of making it. */
export interface UploadBody extends RequestBody {
  /** Whether all of it has been handed to the network. */
  complete(): boolean;
  /** Why the body could not be made to its end, if so: the real cause of a broken request. */
  failure(): Promise<unknown>;
  /** Let go of everything the body holds. */
  dispose(): Promise<void>;
}

/** Bytes of a {@link BlockHasher}'s block. */
export const HASH_BLOCK_BYTES = 1024 * 1024;

/** What stands before and after the bytes of one part of a block when it is hashed. */
export interface PartFrame {
  /** Of the block, in bytes. */
  size: number;
  head: Uint8Array;
  foot: Uint8Array;
}

/** Hashes files block by block, beside what else the runtime does. */
export interface BlockHasher {
  /** Memory for one block, to be filled and handed to {@link BlockHasher.digest} any number of times. */
  memory(): Uint8Array;
  /**
   * SHA-256 (FIPS 180-4) of the first `size` bytes of a block, then of each of its parts within its frame. The memory
   * may be filled again once they are there.
   */
  digest(memory: Uint8Array, size: number, parts: readonly PartFrame[]): Promise<Uint8Array[]>;
  /** Releases what it runs on. */
  close(): void;
}

/** What the kit needs of the runtime it is in: the named exports of `#platform`. */
export interface Platform {
  /** The fastest piecewise AES-256-GCM of this runtime. */
  gcm: Gcm;
  /** PBKDF2-HMAC-SHA-256 (RFC 8018), run off the main thread where the runtime can; gives 32 bytes. */
  pbkdf2(password: Uint8Array, salt: Uint8Array, iterations: number): Promise<Uint8Array>;
  /** SHA-256 (FIPS 180-4), 32 bytes: at once in Node, off the thread in a page. `bytes` may be reused once it is there. */
  sha256(bytes: Uint8Array): Uint8Array | Promise<Uint8Array>;
  /** Hashes blocks off the main thread where the runtime can and there is enough to hash. */
  blockHasher(): BlockHasher;
  /** How many key derivations are worth running at once. */
  derivationsAtOnce(): number;
  /** The file at a path, or all files of the folder there, in a stable order. */
  filesAt(path: string | URL, signal: AbortSignal | undefined): Promise<SourceFile[]>;
  /** Whether bytes that are not a Blob are prepared as a whole before the first one is sent. */
  preparesBody: boolean;
  /**
   * A multipart body (RFC 7578) of one `file` field per part. `onBytes` hears how many bytes of it were
   * prepared (a page encrypts everything before it sends) and how many were sent.
   */
  uploadBody(
    parts: readonly SourceFile[],
    options: {
      signal: AbortSignal | undefined;
      onPrepared?: (bytes: number) => void;
      onSent?: (bytes: number) => void;
    },
  ): Promise<UploadBody>;
  http: HttpStack;
  /** Writes to a path; the file appears there, whole, on commit. */
  fileSink(path: string | URL): Promise<RereadableSink<SavedFile>>;
  /** The most bytes that one Uint8Array can hold. */
  maxArrayBytes: number;
  /** Gathers a Blob, outside the heap where the runtime has such a place, but not in a file that outlives it. */
  blobSink(): Promise<Sink<Blob>>;
  /** Keeps bytes outside the heap, where the runtime has such a place; nobody else can read them there. */
  spool(): Promise<Sink<Spooled>>;
}
