import { describeFailure } from "../frame/failure.ts";
import type { Invocation } from "../frame/invocation.ts";
import type { Package } from "../frame/package.ts";

/** An error that lasts is shown again after this time, in milliseconds. */
const SHOW_AGAIN_MS = 600_000;

/** Different errors of which it is known when they were shown. */
const MAX_KNOWN = 1_000;

/** Shows errors of work that continues. */
export interface ErrorDisplay {
  /** Shows an error: at once, and the same again after ten minutes. */
  show(error: unknown): void;
  /** Receives how much is done: more than before means that what failed works again. */
  setDone(done: number): void;
}

/** Creates what shows errors of requests that are tried again, so that nobody waits without knowing what for. */
export async function createErrorDisplay({ output, load }: Pick<Invocation, "output" | "load">): Promise<ErrorDisplay> {
  const kit = await load();
  const shownAt = new Map<string, number>();
  let doneBefore = 0;
  let isFailing = false;
  return {
    show(error) {
      const message = describe(error, kit);
      const now = performance.now();
      if (now - (shownAt.get(message) ?? Number.NEGATIVE_INFINITY) < SHOW_AGAIN_MS) return;
      if (shownAt.size >= MAX_KNOWN) shownAt.clear();
      shownAt.set(message, now);
      isFailing = true;
      output.warn(message);
    },
    setDone(done) {
      if (isFailing && done > doneBefore) {
        isFailing = false;
        output.note("Files are being stored again.");
      }
      doneBefore = done;
    },
  };
}

function describe(error: unknown, kit: Package): string {
  const { message, details } = describeFailure(error, kit);
  const { url } = details;
  return typeof url !== "string" || message.includes(url) ? message : `${message}: ${url}`;
}
