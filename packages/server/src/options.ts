import type { EndpointOptions } from "keeplight";
import { bearerSchema, callback, invalidOption, type OptionSchema, resolveOptions, unchecked } from "keeplight/parts";
import { type Authorize, originList } from "./access.ts";
import { limitSchema, type UploadLimits } from "./limits.ts";

/** Options of a handler of uploads. */
export interface UploadHandlerOptions {
  /** The network's API key. It never leaves the server. A missing one fails each request with 500, not the start. */
  apiKey: string;
  /**
   * Decides for each request whether it may upload, and how much: by its cookies or headers, or by the text fields of its
   * form (`await form.fields()`). It must not read the body. What it throws, or returns by mistake, refuses the request
   * with 500 without a word of it; `onError` receives it.
   */
  authorize: Authorize;
  /**
   * Limits of every request that `authorize` lets in without limits of its own.
   *
   * @default those of {@link UploadLimits}
   */
  limits?: UploadLimits | undefined;
  /**
   * Origins of other pages that may upload, such as `https://app.example`. They get CORS headers without credentials, so
   * that they have to send a token; route `OPTIONS` to the handler, too. @default none
   */
  allowedOrigins?: readonly string[] | undefined;
  /** Base URLs to use instead of the public network's. @default `defaultEndpoints` */
  endpoints?: EndpointOptions | undefined;
  /**
   * Receives every error that a request failed with, including what the client does not learn, for a log; without a request,
   * an error of work between requests. What it throws is ignored.
   *
   * @default none
   */
  onError?: ((error: unknown, request?: Request) => void | Promise<void>) | undefined;
}

export const handlerSchema = {
  // Checked by each request: builds run without secrets.
  apiKey: unchecked<string>(),
  authorize: (authorize, name) => {
    if (typeof authorize !== "function") throw invalidOption(name, "a function");
    return authorize as Authorize;
  },
  limits: (limits) => resolveOptions(limitSchema, limits ?? {}),
  allowedOrigins: originList,
  endpoints: bearerSchema.endpoints,
  onError: callback<NonNullable<UploadHandlerOptions["onError"]>>(),
} satisfies OptionSchema<UploadHandlerOptions>;

/** Reports an error for a log: a failing log must not end the server. */
export function report(onError: UploadHandlerOptions["onError"], error: unknown, request?: Request): void {
  void (async () => onError?.(error, request))().catch(() => undefined);
}
