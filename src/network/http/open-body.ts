import type { HttpRequest } from "./client.ts";
import { type IncomingBody, receive } from "./receive.ts";

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
