import { formatCid } from "../../src/formats/cid/content-id.ts";
import { hashFile } from "../../src/formats/cid/file.ts";
import type { UploadedFile } from "../../src/index.ts";
import type { RecordedRequest } from "./http-server.ts";
import { parseMultipart } from "./multipart.ts";

/** @param chunks - how the upload node splits files; their default chunks by default */
export const createCidFunction =
  (chunks: { leafBytes?: number; links?: number } = {}) =>
  async (bytes: Uint8Array): Promise<string> => {
    const hasher = hashFile(1, chunks);
    await hasher.update(bytes);
    return formatCid((await hasher.finish()).cid);
  };

/** Computes the CID of bytes in the upload nodes' default chunks. */
export const computeCid = createCidFunction();

/** Computes the CID of bytes in leaves of 1 MiB, 1,024 links per node. */
export const computeLargeCid = createCidFunction({ leafBytes: 1_048_576, links: 1_024 });

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
