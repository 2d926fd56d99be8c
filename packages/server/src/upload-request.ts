import { invalidSource } from "keeplight/parts";
import { folderRefused } from "./errors.ts";
import type { ResolvedLimits } from "./limits.ts";

/** What a request says of its files, besides their form; see `send` and `sendEncrypted`, which it comes from. */
export interface UploadRequest {
  query: Record<string, string>;
  headers: Record<string, string>;
  isEncrypted: boolean;
}

const allowedValues = { "cid-version": ["0", "1"], "wrap-with-directory": ["false", "true"] } as const;

/**
 * Reads the options of an upload, and nothing else that a client might have added.
 *
 * @throws `INVALID_SOURCE`, `UPLOAD_REFUSED` for a folder that the limits exclude
 */
export function readUploadRequest({ url, headers }: Request, { folders }: ResolvedLimits): UploadRequest {
  const { searchParams } = new URL(url);
  const query: Record<string, string> = { "cid-version": "1" };
  for (const [name, allowed] of Object.entries(allowedValues)) {
    const value = searchParams.get(name);
    if (value === null) continue;
    if (!(allowed as readonly string[]).includes(value)) throw invalidSource(`${name} is not ${allowed.join(" or ")}`);
    query[name] = value;
  }
  if (query["wrap-with-directory"] === "true" && !folders) throw folderRefused();
  const isEncrypted = headers.get("encryption") === "true";
  const isText = isEncrypted && headers.get("mime-type") === "text/plain";
  return {
    query,
    headers: { ...(isEncrypted ? { Encryption: "true" } : {}), ...(isText ? { "Mime-Type": "text/plain" } : {}) },
    isEncrypted,
  };
}
