import * as z from "zod/mini";
import { askApi } from "../http/api-host.ts";
import type { ResolvedCall } from "../options.ts";

/** An answer that is one text. */
export const text = z.string().check(z.minLength(1));

/** A message of the API host for the owner of `publicKey`, an address that has been checked, to sign. */
export function fetchMessage(path: string, publicKey: string, call: ResolvedCall): Promise<string> {
  return askApi(call, { method: "GET", path, query: { publicKey }, schema: text, what: "message to sign" });
}
