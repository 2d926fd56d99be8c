/** Calls a listener, if there is one. What it throws, or a rejection of the promise it returns, is ignored. */
export function notify<Event>(listener: ((event: Event) => void) | undefined, event: Event): void {
  void (async () => listener?.(event))().catch(() => undefined);
}
