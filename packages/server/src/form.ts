import type { RequestFacts } from "keeplight";
import { invalidSource, limitTime } from "keeplight/parts";
import { clientGone } from "./errors.ts";
import type { ResolvedLimits } from "./limits.ts";
import { type FormPart, MAX_HEAD_BYTES, readBoundary, readParts } from "./multipart-parts.ts";

/** Bytes of all texts of a form together. */
const MAX_TEXT_BYTES = 64 * 1024;
const MAX_TEXTS = 100;

/** A file of a form. */
export type FilePart = FormPart & { name: string };

/** What `authorize` may read of a form. */
export interface UploadForm {
  /**
   * Reads the text fields that precede the first file: at most 100 of 64 KiB together. Texts after it are skipped.
   *
   * @throws `INVALID_SOURCE`, `TIMEOUT`, `ABORTED`; the response to the client then says so, with status 400, 504 or 499
   */
  fields(): Promise<FormData>;
}

export type OpenForm = ReturnType<typeof openForm>;

/**
 * Opens the form of a request. Nothing is read before it is requested.
 *
 * @param limits - those that apply until `files` is called
 */
export function openForm(request: Request, limits: ResolvedLimits) {
  const { signal } = request;
  let body: ReturnType<typeof readBody> | undefined;
  let parts: AsyncGenerator<FormPart> | undefined;
  let first: FilePart | undefined;
  let reading: Promise<FormData> | undefined;
  let failed: unknown;
  let texts = 0;
  let textBytes = 0;

  function start(): AsyncGenerator<FormPart> {
    const boundary = readBoundary(request.headers.get("content-type"));
    if (!request.body) throw invalidSource("it is empty");
    const facts: RequestFacts = { method: request.method, url: new URL(request.url).pathname };
    body = readBody(request.body, limits, facts);
    signal.addEventListener("abort", close, { once: true });
    if (signal.aborted) close();
    return readParts(body, boundary);
  }

  function close(): void {
    signal.removeEventListener("abort", close);
    body?.stop(clientGone(signal.reason));
  }

  /** Reads up to the next file; adds the texts on the way to `fields`. */
  async function nextFile(fields?: FormData): Promise<FilePart | undefined> {
    parts ??= start();
    for (;;) {
      const { value: part, done } = await parts.next();
      if (done) return undefined;
      if (part.name !== undefined && part.name !== "") return part as FilePart;
      const text = await readText(part);
      if (part.name === undefined) fields?.append(part.field, text);
      else if (text !== "") throw invalidSource("a file has no name");
    }
  }

  async function readText({ chunks }: FormPart): Promise<string> {
    if (++texts > MAX_TEXTS) throw invalidSource(`the form has more than ${MAX_TEXTS} fields`);
    const decoder = new TextDecoder();
    let text = "";
    for await (const chunk of chunks) {
      textBytes += chunk.length;
      if (textBytes > MAX_TEXT_BYTES) throw invalidSource(`the form's fields have more than ${MAX_TEXT_BYTES} bytes`);
      text += decoder.decode(chunk, { stream: true });
    }
    return text + decoder.decode();
  }

  async function readFields(): Promise<FormData> {
    const fields = new FormData();
    try {
      first = await nextFile(fields);
    } catch (error) {
      failed = error;
      throw error;
    }
    return fields;
  }

  return {
    fields(): Promise<FormData> {
      reading ??= readFields();
      // Who decides without waiting for them must not end the server by that.
      reading.catch(() => undefined);
      return reading;
    },
    /** What `fields` threw. */
    failure: () => failed,
    /** Yields the files, within these time limits. Each is read before the next one is requested. */
    async *files(limits: ResolvedLimits): AsyncGenerator<FilePart> {
      // A decision may have come before its fields were read.
      await reading;
      parts ??= start();
      body?.limit(limits);
      for (let file = first ?? (await nextFile()); file; file = await nextFile()) yield file;
    },
    /** Ends reading. */
    close,
  };
}

/** The most bytes that a form of so many files needs besides those of the files. */
export function countFormBytes(maxFiles: number): number {
  return (maxFiles + MAX_TEXTS + 1) * 2 * MAX_HEAD_BYTES + MAX_TEXT_BYTES;
}

type TimeLimits = Pick<ResolvedLimits, "timeoutMs" | "idleTimeoutMs">;

/** Reads a body within time limits; its chunks throw `TIMEOUT`, and `ABORTED` once the client is gone. */
function readBody(body: ReadableStream<Uint8Array>, limits: TimeLimits, facts: RequestFacts) {
  const reader = body.getReader();
  let failure: { reason: unknown } | undefined;
  let fail: ((reason: unknown) => void) | undefined;
  let time = limitTime(facts, limits, stop);

  function stop(reason: unknown): void {
    time.end();
    failure ??= { reason };
    fail?.(reason);
  }

  return {
    /** Replaces the time limits; the new ones start now. */
    limit(other: TimeLimits): void {
      time.end();
      time = limitTime(facts, other, stop);
    },
    /** Ends reading with an error. The body is left as it is: cancelling it may close the connection before a response. */
    stop,
    async next(): Promise<IteratorResult<Uint8Array, undefined>> {
      if (failure) throw failure.reason;
      time.expect();
      try {
        return await new Promise<IteratorResult<Uint8Array, undefined>>((resolve, reject) => {
          fail = reject;
          const onError = (cause: unknown) => reject(clientGone(cause));
          reader.read().then((result) => resolve(result as IteratorResult<Uint8Array, undefined>), onError);
        });
      } finally {
        time.rest();
      }
    },
  };
}
