import { stderr, stdout } from "node:process";

/** Writes lines to standard output and to standard error. */
export interface Lines {
  /** Whether nobody reads standard output any more. */
  readonly isClosed: boolean;
  out(text: string): void;
  err(text: string): void;
  /** Resolves once all that was written has left the process. */
  flush(): Promise<void>;
}

/**
 * Opens both streams. When their reader ends early, as `head` does, what follows is discarded: an upload is not ended by
 * the end of what reads its messages.
 */
export function openLines(): Lines {
  const closed = { out: false, err: false };
  stdout.on("error", () => (closed.out = true));
  stderr.on("error", () => (closed.err = true));
  const drained = (stream: NodeJS.WriteStream) => new Promise<void>((resolve) => stream.write("", () => resolve()));
  return {
    get isClosed() {
      return closed.out;
    },
    out: (text) => void (closed.out || stdout.write(text)),
    err: (text) => void (closed.err || stderr.write(text)),
    flush: async () => void (await Promise.all([drained(stdout), drained(stderr)])),
  };
}
