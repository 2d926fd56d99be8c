import { MAX_TIMER_MS } from "../config/limits.ts";
import { aborted } from "../errors/transport.ts";

/** Throws `ABORTED` if `signal` has fired. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw aborted(signal.reason);
}

/** Resolves after `ms` milliseconds, or rejects with `ABORTED` as soon as `signal` fires. */
export function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout>;
  const elapsed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.min(ms, MAX_TIMER_MS));
  });
  return untilAborted(elapsed, signal).finally(() => clearTimeout(timer));
}

/** Settles like `work`, or rejects with `ABORTED` as soon as `signal` fires; `work` itself is not stopped. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise<T>((resolve, reject) => {
    const removeCallback = onAbort(signal, () => reject(aborted(signal.reason)));
    work.then(resolve, reject).finally(removeCallback);
  });
}

const registered = new WeakMap<AbortSignal, Callbacks>();

/** What is called once a signal fires. Its listener is the set itself, which a signal has at most once. */
class Callbacks extends Set<() => void> {
  handleEvent(): void {
    for (const callback of this) callback();
  }
}

/**
 * Calls `callback`, which must not throw, once `signal` fires, or now if it has; returns what takes it off again. However many
 * callbacks a signal has, it has one listener of this package: Node warns of a leak if there are more than ten.
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (!signal) return () => undefined;
  const callbacks = registered.get(signal) ?? new Callbacks();
  registered.set(signal, callbacks.add(callback));
  if (signal.aborted) callback();
  else signal.addEventListener("abort", callbacks, { once: true });
  return () => {
    callbacks.delete(callback);
    if (callbacks.size === 0) signal.removeEventListener("abort", callbacks);
  };
}

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

/** Calls a listener, if there is one. What it throws, or a rejection of the promise it returns, is ignored. */
export function notify<Event>(listener: ((event: Event) => void) | undefined, event: Event): void {
  void (async () => listener?.(event))().catch(() => undefined);
}
