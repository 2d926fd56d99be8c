import { httpStatus } from "../../base/errors/transport.ts";
import type { StackResponse } from "../../platform/types.ts";
import { type HttpRequest, throwRefusal, withResponse } from "./client.ts";

/** A body that is read outside of the call that opened it. */
export interface OpenBody extends Pick<IncomingBody, "size" | "endIsProven"> {
  /** Can be read once. */
  chunks: AsyncIterable<Uint8Array>;
  /** Closes the connection, unless the body was read to its end. */
  close(): void;
}

/**
 * Sends a request as {@link receive} does, and resolves once its body can be read. Time limits and signal hold until the
 * body ends or is closed.
 *
 * @throws as {@link receive}, also while the body is read
 */
export async function openBody(request: HttpRequest): Promise<OpenBody> {
  let end: (outcome?: Promise<void>) => void = () => undefined;
  const used = new Promise<void>((resolve) => {
    end = resolve;
  });
  let receiving: Promise<void> = used;
  const { size, endIsProven, chunks } = await new Promise<IncomingBody>((resolve, reject) => {
    receiving = receive(request, (body) => {
      resolve(body);
      return used;
    });
    receiving.catch(reject);
  });

  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      yield* chunks;
    } catch (error) {
      // Only the deadline knows why its signal fired. A body that was closed before reports nothing.
      const failed = Promise.reject(error);
      failed.catch(() => undefined);
      end(failed);
    } finally {
      end();
      await receiving;
    }
  }
  const reading = read();
  return {
    size,
    endIsProven,
    chunks: reading,
    close() {
      end();
      void reading.return(undefined).catch(() => undefined);
    },
  };
}

/** A body that is read chunk after chunk. */
export interface IncomingBody extends Pick<StackResponse, "size" | "endIsProven"> {
  chunks: AsyncIterable<Uint8Array>;
}

/**
 * Sends a request and passes the body to `read` as it arrives. Only status 200 means a file: 202 means try again
 * later, 206 is a part of it. Files are requested uncompressed.
 *
 * @throws `HTTP_STATUS`, `ABORTED`, `TIMEOUT`, `NETWORK` (also when the body is truncated), `RESPONSE_TOO_LARGE` for a
 * compressed body that expands beyond limits, and what `read` throws
 */
export function receive<T>(request: HttpRequest, read: (body: IncomingBody) => Promise<T>): Promise<T> {
  const plain = { ...request, headers: { ...request.headers, "Accept-Encoding": "identity" } };
  return withResponse(plain, undefined, async (response, chunks, facts) => {
    const { status, size, endIsProven } = response;
    if (status === 200) return read({ size, endIsProven, chunks });
    // The body of another success status is (part of) a file, not a message.
    if (status < 300) throw httpStatus(facts, status, "http");
    return throwRefusal(request, response, chunks, facts);
  });
}
