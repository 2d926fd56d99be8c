import { formatCid } from "../../src/formats/cid/content-id.ts";
import { hashFile } from "../../src/formats/cid/file.ts";
import type { UploadedFile } from "../../src/index.ts";
import type { RecordedRequest } from "./http-server.ts";
import { parseMultipart } from "./multipart.ts";

/** Computes the CID of bytes in the upload nodes' default chunks. */
export async function computeCid(bytes: Uint8Array): Promise<string> {
  const hasher = hashFile(1);
  await hasher.update(bytes);
  return formatCid((await hasher.finish()).cid);
}

/** Returns what a correct upload node responds with: a row for each file of the request. */
export async function toStoredRows({
  headers,
  body,
}: Pick<RecordedRequest, "headers" | "body">): Promise<UploadedFile[]> {
  const rows: UploadedFile[] = [];
  for (const { filename, bytes } of await parseMultipart(headers, body)) {
    rows.push({ Name: filename, Hash: await computeCid(bytes), Size: String(bytes.length) });
  }
  return rows;
}
