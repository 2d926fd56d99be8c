import type { Quote, QuoteOptions, Source } from "keeplight";
import { copyOptions, copySource } from "keeplight/parts";
import { useCallback } from "react";
import { useKit } from "./kit-provider.ts";
import { type TaskControls, useTask } from "./use-task.ts";

/** What {@link useQuote} returns. */
export interface UseQuote extends TaskControls<Quote, never> {
  /** Computes the size, the usage and, with a `network` or a `token`, the price of an upload. Reads no file. */
  quote(source: Source, options?: Omit<QuoteOptions, "signal">): Promise<Quote | undefined>;
}

/**
 * Quotes uploads before they are sent; a new one takes the place of the previous one.
 *
 * @example
 * const { state, quote } = useQuote();
 * <input type="file" multiple onChange={({ target }) => quote(target.files ?? [])} />
 * {state.status === "done" && state.result.usage && state.result.usage.dataLeft < 0 && <p>Too much</p>}
 */
export function useQuote(): UseQuote {
  const kit = useKit();
  const { start, ...controls } = useTask<Quote, never>(undefined, kit);
  const quote = useCallback(
    (source: Source, options?: Omit<QuoteOptions, "signal">) => {
      // A retry is of the same.
      const [own, ownOptions] = [copySource(source), copyOptions(options)];
      return start(({ signal }) => kit.getQuote(own, { ...ownOptions, signal }));
    },
    [start, kit],
  );
  return { ...controls, quote };
}
