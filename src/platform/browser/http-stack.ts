import type { HttpStack } from "../types.ts";
import { sendByFetch } from "./fetch.ts";
import { sendByXhr } from "./xhr.ts";

/** By fetch, except that only XMLHttpRequest reports upload progress; service workers and edge servers have none. */
export const http: HttpStack = {
  send(request) {
    const { body } = request;
    return typeof body === "object" && typeof XMLHttpRequest !== "undefined"
      ? sendByXhr(request, body)
      : sendByFetch(request);
  },
};
