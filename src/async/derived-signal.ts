/** Creates a signal that fires when `signal` does, or when it is ended, which also takes the listener off `signal`. */
export function deriveSignal(signal: AbortSignal | undefined): { signal: AbortSignal; end(): void } {
  const controller = new AbortController();
  const onAbort = () => controller.abort(signal?.reason);
  if (signal?.aborted) onAbort();
  signal?.addEventListener("abort", onAbort, { once: true });
  return {
    signal: controller.signal,
    end() {
      signal?.removeEventListener("abort", onAbort);
      controller.abort();
    },
  };
}
