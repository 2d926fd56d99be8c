import { onAbort } from "../../base/async/abort.ts";
import { responseTooLarge } from "../../base/errors/transport.ts";
import type { RequestBody, StackRequest, StackResponse } from "../types.ts";

/** Sends a form by XMLHttpRequest, which reports how much of it was sent. Resolves with the whole response. */
export function sendByXhr(request: StackRequest, form: RequestBody): Promise<StackResponse> {
  const { method, url, headers, signal, watch, facts, maxBytes = Number.POSITIVE_INFINITY } = request;
  const xhr = new XMLHttpRequest();
  const abort = () => xhr.abort();
  return new Promise<StackResponse>((resolve, reject) => {
    xhr.open(method, url);
    xhr.responseType = "arraybuffer";
    for (const [name, value] of Object.entries({ ...headers, ...form.headers })) xhr.setRequestHeader(name, value);
    xhr.upload.onprogress = ({ loaded, total }) => {
      if (loaded < total) watch.expect();
      else watch.rest();
      form.onSent?.(loaded);
    };
    xhr.onprogress = ({ loaded }) => {
      watch.expect();
      if (loaded <= maxBytes) return;
      reject(responseTooLarge(facts, maxBytes));
      abort();
    };
    xhr.onload = () => resolve(readResponse(xhr));
    xhr.onerror = () => reject(new Error("The browser could not send the request or read the response"));
    xhr.onabort = () => reject(new Error("The request was aborted"));
    form.onHandOver?.();
    xhr.send(form.data as FormData);
    // It fires at the end of every request.
    onAbort(signal, abort);
  });
}

function readResponse(xhr: XMLHttpRequest): StackResponse {
  const lines = xhr.getAllResponseHeaders().trim().split("\r\n");
  const bytes = xhr.response as ArrayBuffer;
  return {
    status: xhr.status,
    headers: Object.fromEntries(
      lines.map((line) => {
        const [name = "", ...value] = line.split(": ");
        return [name.toLowerCase(), value.join(": ")];
      }),
    ),
    chunks: new Blob([bytes]).stream(),
    size: bytes.byteLength,
    endIsProven: true,
    close() {},
  };
}
