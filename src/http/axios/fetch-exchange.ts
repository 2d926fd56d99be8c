import { adapter as fetchAdapter } from "./fetch.ts";

/**
 * Exchanges by fetch as a page does by XMLHttpRequest: redirects are followed. How much of a body has gone is not
 * told on the way; at the end, however it comes about, all of it may have.
 */
export const exchangeByFetch: typeof fetchAdapter = async ({ onUploadProgress, ...config }) => {
  try {
    return await fetchAdapter({ ...config, maxRedirects: 5 });
  } finally {
    try {
      onUploadProgress?.({ loaded: sizeOf(config.data) });
    } catch (error) {
      // As in a page, whose events are nobody's answer.
      queueMicrotask(() => {
        throw error;
      });
    }
  }
};

/** Bytes of a form, a single one standing for what is around its files. */
function sizeOf(form: unknown): number {
  let size = 1;
  if (form instanceof FormData) for (const value of form.values()) if (value instanceof Blob) size += value.size;
  return size;
}
