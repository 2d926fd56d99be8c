import { invalidOption } from "../../base/errors/input.ts";
import type { ResolvedEndpoints } from "../../base/options.ts";
import type { Route } from "../upload/upload-access.ts";
import { checkPaying } from "./options.ts";

/** What the service decides by itself. */
interface Conflicting {
  apiKey?: unknown;
  via?: unknown;
  cidVersion?: unknown;
  wrapWithDirectory?: unknown;
  storage?: unknown;
}

/** Returns the service that files are paid at, with a check of what pays; throws `INVALID_OPTION`. */
export function routeToPayment({
  payPerUpload,
  endpoints,
  ...options
}: Conflicting & { payPerUpload: unknown; endpoints: ResolvedEndpoints }): Route {
  const { apiKey, via, cidVersion, wrapWithDirectory, storage } = options;
  if (apiKey !== undefined || via !== undefined) throw invalidOption("payPerUpload", "no apiKey and no via beside it");
  if (cidVersion === 0) throw invalidOption("cidVersion", "1, beside payPerUpload");
  if (wrapWithDirectory) throw invalidOption("wrapWithDirectory", "false, beside payPerUpload");
  if (storage !== undefined && storage !== "walrus") throw invalidOption("storage", `"walrus", beside payPerUpload`);
  return { base: endpoints.x402, path: "/api/upload", pay: checkPaying(payPerUpload) };
}
