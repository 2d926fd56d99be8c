import { createHmac, randomBytes } from "node:crypto";
import type { UploadRecord } from "./spool.ts";

/** By what an upload is told from those of other clients. */
const CLIENT_HEADERS = ["authorization", "cookie"];

/**
 * Creates the id of an upload, which nobody can guess. A file without bytes is complete once it is created: if the response is
 * lost, its client creates it again. Therefore it has the same id whenever the same client describes the same file.
 *
 * @param secret - known to no client
 */
export function createUploadId(
  { headers }: Request,
  { size, metadata, limits }: Pick<UploadRecord, "size" | "metadata" | "limits">,
  secret: string,
): string {
  if (size > 0) return randomBytes(16).toString("hex");
  const client = CLIENT_HEADERS.map((name) => headers.get(name));
  const facts = JSON.stringify([client, metadata, limits]);
  return createHmac("sha256", secret).update(facts).digest("hex").slice(0, 32);
}
