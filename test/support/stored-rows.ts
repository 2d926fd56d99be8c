import { formatCid } from "../../src/cid/content-id.ts";
import { hashFile } from "../../src/cid/file.ts";
import type { UploadedFile } from "../../src/index.ts";
import type { RecordedRequest } from "./http-server.ts";
import { parseMultipart } from "./multipart.ts";

/** The content id of bytes as upload nodes cut them by default. */
export async function cidOf(bytes: Uint8Array): Promise<string> {
  const hasher = hashFile(1);
  await hasher.update(bytes);
  return formatCid((await hasher.finish()).cid);
}

/** What an honest upload node returns for a request: a row for each file. */
export async function storedRows({
  headers,
  body,
}: Pick<RecordedRequest, "headers" | "body">): Promise<UploadedFile[]> {
  const rows: UploadedFile[] = [];
  for (const { filename, bytes } of await parseMultipart(headers, body)) {
    rows.push({ Name: filename, Hash: await cidOf(bytes), Size: String(bytes.length) });
  }
  return rows;
}
