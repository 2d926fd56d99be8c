import { onAbort } from "./abort.ts";

/** Creates a signal that fires when `signal` does, or when it is ended, which also takes its callback off `signal`. */
export function deriveSignal(signal: AbortSignal | undefined): { signal: AbortSignal; end(): void } {
  const controller = new AbortController();
  const removeCallback = onAbort(signal, () => controller.abort(signal?.reason));
  return {
    signal: controller.signal,
    end() {
      removeCallback();
      controller.abort();
    },
  };
}
