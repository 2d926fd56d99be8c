import type { HttpStack } from "../types.ts";
import { sendByFetch } from "./fetch.ts";
import { sendByXhr } from "./xhr.ts";

export const keepsResponses = true;

/**
 * By fetch, except that only XMLHttpRequest reports the upload progress of forms; service workers and edge servers have
 * none. Only fetch sends streams.
 */
export const http: HttpStack = {
  send(request) {
    const { body } = request;
    return typeof body === "object" && body.data instanceof FormData && typeof XMLHttpRequest !== "undefined"
      ? sendByXhr(request, body)
      : sendByFetch(request);
  },
};
