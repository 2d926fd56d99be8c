import type { KeeplightError } from "../base/errors/base.ts";
import type { RequestFacts } from "../base/errors/details/input-and-requests.ts";

/** What identifies the state of a file on a disk, to detect later that it changed. Plain data. */
export interface FileFacts {
  /** Absolute path. */
  path: string;
  /** In bytes. */
  size: number;
  /** Nanoseconds since 1970, a decimal string; so is `ctimeNs`. */
  mtimeNs: string;
  ctimeNs: string;
  /** A decimal string; so is `dev`. */
  ino: string;
  dev: string;
}

/** Receives the name of what cannot be read, why, and whether it is a folder. */
export type OnUnreadable = (name: string, error: KeeplightError, isFolder: boolean) => void;

/** What a walk through a folder leaves out. */
export interface WalkOptions {
  /** Receives what in the folder is refused or cannot be listed, and is left out, instead of an error. */
  onUnreadable?: OnUnreadable | undefined;
  /** Whether a folder in it is listed, by its name and its path; it need not be readable. The list may be empty then. */
  enters?: ((name: string, path: string) => boolean | Promise<boolean>) | undefined;
}

/** One file to send, wherever its bytes are. */
export interface SourceFile {
  /** As it is sent; folders are separated by `/`. */
  name: string;
  /** In bytes, if known in advance. */
  size: number | undefined;
  /** The folder it was found in, the first part of `name`. */
  folder?: string;
  /**
   * Its bytes. Ends early, and releases its resources, when `signal` fires. With `reuse`, the consumer has finished
   * with each chunk when it requests the next one, so that the chunks may share memory.
   */
  open(signal: AbortSignal, reuse?: boolean): AsyncIterable<Uint8Array>;
  /** Whether it can be opened again, and then yields the same bytes or throws. */
  rereadable?: boolean;
  /** Whether nothing else refers to the memory of its chunks, so that it may be freed once they were sent. */
  disposable?: boolean;
  /** The same bytes if they are already a Blob. */
  blob?: Blob;
  /** Its media type, if not that of a Blob. */
  type?: string;
  /** If it is a file on a disk. */
  facts?: FileFacts;
}

/** Collects bytes and releases them only on {@link Sink.commit}: nothing is released before it is trusted. */
export interface Sink<Result> {
  /** Throws `RESPONSE_TOO_LARGE` if the sink cannot hold so many bytes. */
  announce?(bytes: number): void;
  write(chunk: Uint8Array): Promise<void>;
  /** Releases the result: all bytes are written and trusted. */
  commit(): Promise<Result>;
  /** Discards everything written. Does nothing after a commit. */
  abandon(): Promise<void>;
}

/** A sink whose bytes can be read again before anything is released. */
export interface RereadableSink<Result> extends Sink<Result> {
  /** Yields the bytes written, instead of a commit; {@link Sink.abandon} must still be called. */
  reread(): AsyncIterable<Uint8Array>;
}

/** Bytes kept outside the heap temporarily. */
export interface Spooled {
  /** Streams the bytes; they are discarded once they are read or the stream is cancelled. */
  stream(): ReadableStream<Uint8Array>;
  discard(): Promise<void>;
}

/** Receives the state of a transfer, to detect a peer that stalls. */
export interface TransferWatch {
  /** The peer has to send or take bytes from now on; called again at every sign of life. */
  expect(): void;
  /** Nothing is expected of the peer: this side is busy, or the peer may take its time to respond. */
  rest(): void;
}

/** Opens a page's body that is generated while it is sent, once; `onFailure` ends the request if that fails. */
export type OpenBody = (watch: TransferWatch, onFailure: () => void) => ReadableStream<Uint8Array>;

/** A body other than JSON: a stream in Node; a form, a Blob or an {@link OpenBody} in a page. */
export interface RequestBody {
  data: unknown;
  headers: Record<string, string>;
  /** Called right before a page hands the body to the browser, which need not report that it has sent all of it. */
  onHandOver?: (() => void) | undefined;
  /** Called with the number of bytes that a page has sent; a stream counts its own. */
  onSent?: ((bytes: number) => void) | undefined;
  /** Called with Node's own request if it failed: only that knows what has left the machine. */
  onFailure?: ((request: { writableFinished?: boolean }) => void) | undefined;
}

/** One request, as `sendRequest` of `#platform` sends it. */
export interface StackRequest {
  method: string;
  /** Without credentials. */
  url: string;
  headers: Readonly<Record<string, string>>;
  /** JSON, or what `uploadBody` of `#platform` made. */
  body?: string | RequestBody | undefined;
  /** Ends the request, or the response that is being read. */
  signal: AbortSignal;
  /** Sent over a new connection and never repeated: what it does must not be done twice. */
  once: boolean;
  /** What a browser's cache may do: `reload` keeps the response and answers nothing, `none` does neither. */
  cache: "any" | "reload" | "none";
  /** Largest response, in bytes, where the runtime reads it as a whole. Default: no limit. */
  maxBytes: number | undefined;
  watch: TransferWatch;
  facts: RequestFacts;
}

/** A response whose headers have arrived, with its decoded body. */
export interface StackResponse {
  status: number;
  /** By name in lower case. A page sees only those that the service exposes to it. */
  headers: Readonly<Record<string, unknown>>;
  chunks: AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>;
  /** Size of the body in bytes, if the service announces it. */
  size: number | undefined;
  /** Whether a truncated body fails. Truncation cannot be detected if the end of the connection ends the body. */
  endIsProven: boolean;
  /** Closes the connection unless both bodies were transferred to their ends. */
  close(): void;
}

/** A multipart body, or the bytes of one file, and the outcome of building it. */
export interface UploadBody extends RequestBody {
  /** Whether all of it may have reached the network. */
  complete(): boolean;
  /** Why the body could not be completed, if so: the real cause of a broken request. */
  failure(): Promise<unknown>;
  /**
   * Whether the request failed before any byte of a generated body was read, as it does if the service does not speak
   * HTTP/2: then the sources can be sent in a stored body.
   */
  isUnread?(): boolean;
  /** Releases everything the body holds. */
  dispose(): Promise<void>;
}

export interface UploadBodyOptions {
  signal: AbortSignal | undefined;
  /** URL of the service if a page may try to generate the body while it is sent. */
  streamTo?: string | undefined;
  /** Receives how many bytes were prepared: a page may have to encrypt everything before it sends. */
  onPrepared?: (bytes: number) => void;
  /** Receives how many bytes were sent. */
  onSent?: (bytes: number) => void;
}

/** Computes SHA-256 (FIPS 180-4) of leaves, one after another, that arrive in pieces. */
export interface LeafHasher {
  /** Adds a piece that is not the last one; it may be reused afterwards. */
  add(piece: Uint8Array): void;
  /** Adds the last piece, which may be reused once it resolves, and returns 32 bytes. */
  end(last: Uint8Array): Uint8Array | Promise<Uint8Array>;
}

/** Keeps what a journal consists of: in a folder in Node, in a database in a page. */
export interface JournalStore {
  /** For messages: the folder, or the name of the database. */
  readonly place: string;
  /** Returns the description of the journal, how its key is wrapped; `undefined` for a new journal. */
  readHeader(): Promise<Uint8Array | undefined>;
  /** Replaces the description, durably. */
  writeHeader(header: Uint8Array): Promise<void>;
  /** Returns the wrapping key that this machine keeps for the journal; creates it if `mayCreate` and there is none. */
  machineKey(mayCreate: boolean): ReturnType<typeof crypto.subtle.importKey>;
  /** Erases that wrapping key, if there is one. */
  removeMachineKey(): Promise<void>;
  /**
   * Restores the copies of the description and the key that are damaged or missing, where there are copies; called once the
   * journal is opened.
   */
  repair?(): Promise<void>;
  /** Runs `work` while no other process or page runs work of this journal. Throws `JOURNAL_BUSY` if it waits for long. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
  /** Lists the ids of all entries. */
  list(): Promise<string[]>;
  /** Returns the sealed bytes of an entry, if it exists. */
  read(id: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /**
   * Takes ownership of a new id, or of an existing entry. Returns `undefined` if another process or page owns it, or if
   * it should exist and no longer does. A `new` id was just created at random.
   */
  own(id: string, expected: "new" | "existing" | "any"): Promise<OwnedEntry | undefined>;
  /** Lists which of these entries a process or page owns, this one included, and describes the owner. */
  listOwned(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** An entry that only this process or page may change. */
export interface OwnedEntry {
  /**
   * Replaces its bytes as a whole; with `durable` they survive a power cut once it resolves, otherwise only the end of
   * the process. Throws if the ownership was lost.
   */
  write(sealed: Uint8Array<ArrayBuffer>, options: { durable: boolean }): Promise<void>;
  /** Overwrites and removes it, and ends the ownership. */
  remove(): Promise<void>;
  /** Ends the ownership; the entry stays. */
  release(): Promise<void>;
}

/** Secrets that the operating system keeps for this user, by names of accounts. */
export interface Keyring {
  get(account: string): Promise<string | undefined>;
  set(account: string, secret: string): Promise<void>;
  remove(account: string): Promise<void>;
}

/** Where a journal is kept; a runtime supports one of them. */
export interface JournalPlace {
  folder?: string | URL | undefined;
  name?: string | undefined;
}

/** A file that was written. */
export interface SavedFile {
  /** Absolute path. */
  path: string;
  /** In bytes. */
  size: number;
}

/**
 * The start of a file that is being received, in a file beside its target that only this user may read, from one process
 * to the next.
 */
export interface PartialFile {
  /** Bytes that it has, or will have once all are written. Those of an earlier process must not be trusted. */
  readonly size: number;
  /** Yields the bytes that it has. */
  read(): AsyncIterable<Uint8Array>;
  /** Removes all but the first bytes; what is written follows them. */
  truncate(size: number): Promise<void>;
  write(chunk: Uint8Array): Promise<void>;
  /** Makes it the target: all bytes are there and trusted. */
  commit(): Promise<SavedFile>;
  /** Closes it; it stays for the next call. */
  close(): Promise<void>;
}

/** Where a target's partial files are, one for each operation that writes to it. */
export interface PartialFiles {
  /** Absolute path of the target. */
  readonly path: string;
  /**
   * Opens the partial file of an operation, or creates it.
   *
   * @throws `CANNOT_WRITE`, also if it is not a file of this user
   */
  open(id: string): Promise<PartialFile>;
  /** Removes it, if there is one. */
  remove(id: string): Promise<void>;
}
