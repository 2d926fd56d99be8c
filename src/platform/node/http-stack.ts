import type { ClientRequest, IncomingMessage } from "node:http";
import type { AxiosError, AxiosRequestConfig } from "axios";
import type { HttpStack, StackRequest, StackResponse } from "../types.ts";
import { type FreshConnection, freshConnection } from "./fresh-connection.ts";
import { openBody } from "./incoming-body.ts";
import { lateResponseTransport } from "./late-response-transport.ts";

export const keepsResponses = false;

/** Sends requests with axios, which finds proxies and agents as its users expect. */
export const http: HttpStack = {
  async send(request) {
    const { body } = request;
    // The data of a body can be read only once.
    if (request.once || typeof body === "object") return dispatch(request, freshConnection());
    try {
      return await dispatch(request, {});
    } catch (error) {
      // The service may have closed a kept connection before the request arrived.
      if (!isStaleConnection(error as AxiosError)) throw error;
      return dispatch(request, freshConnection());
    }
  },
};

const unchanged = (data: unknown) => data;

async function dispatch(request: StackRequest, connection: FreshConnection): Promise<StackResponse> {
  const { method, url, headers, body, signal, watch, facts } = request;
  const form = typeof body === "object" ? body : undefined;
  const config: AxiosRequestConfig = {
    method,
    url,
    signal,
    ...connection,
    data: form ? form.data : body,
    headers: {
      // Null prevents that of forms.
      "Content-Type": null,
      "Accept-Encoding": "gzip, deflate, br",
      ...headers,
      ...form?.headers,
    },
    ...(form ? { transport: lateResponseTransport(watch) } : {}),
    adapter: "http",
    responseType: "stream",
    decompress: false,
    validateStatus: null,
    transformRequest: unchanged,
    transformResponse: unchanged,
    // No limit; any number would pipe a body through one more stream.
    maxBodyLength: -1,
    // Following a redirect would require to hold the whole body.
    maxRedirects: method === "GET" ? 5 : 0,
  };
  try {
    // Loaded by the first request: axios has seventy modules.
    const { client } = await import("./axios.ts");
    const response = await client.request<IncomingMessage>(config);
    return {
      status: response.status,
      headers: response.headers,
      ...openBody(response.headers, response.data, facts),
      close() {
        response.data.destroy();
        const sender: ClientRequest = response.request;
        if (!sender.writableFinished) sender.destroy();
      },
    };
  } catch (error) {
    form?.onFailure?.((error as AxiosError).request);
    throw error;
  }
}

/** Whether a request failed without a response on a connection that was used before. */
function isStaleConnection({ code, request, response }: AxiosError): boolean {
  // A request that may be redirected is wrapped.
  const sender: ClientRequest | undefined = request?._currentRequest ?? request;
  const isReset = code === "ECONNRESET" || code === "EPIPE";
  return isReset && response === undefined && sender?.reusedSocket === true;
}
