/** Registers the Service Worker of tests for all pages of the test runner; returns how to unregister it. */
export async function registerMediaWorker(): Promise<() => Promise<unknown>> {
  const script = new URL("./media-worker.ts", import.meta.url);
  const registration = await navigator.serviceWorker.register(script, { type: "module", scope: "/" });
  return () => registration.unregister();
}
