import type { Progress } from "keeplight";
import { AppError } from "../messages/explain-error.ts";

/** Larger than anything that a download adds to a small file, in bytes. */
const OVERHEAD_BYTES = 1024 * 1024;

/** The error of a file that is longer or shorter than its folder states. Who wrote the folder may have lied. */
export function createSizeError(): AppError {
  return new AppError(({ folder }) => folder.wrongSize);
}

/** Ends the download of a file that is far larger than stated: it is held, in memory or on disk, until it is verified. */
export function limitDownload(size: number): (progress: Progress) => void {
  return ({ loaded }) => {
    if (loaded > 2 * size + OVERHEAD_BYTES) throw createSizeError();
  };
}

/** Passes a file on, and fails unless it is as long as stated, in bytes. */
export function checkSize(size: number): TransformStream<Uint8Array, Uint8Array> {
  let read = 0;
  return new TransformStream({
    transform(chunk, controller) {
      read += chunk.byteLength;
      if (read > size) throw createSizeError();
      controller.enqueue(chunk);
    },
    flush() {
      if (read < size) throw createSizeError();
    },
  });
}
