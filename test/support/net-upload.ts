import type { Source } from "../../src/index.ts";
import { type UploadOptions, upload } from "../../src/index.ts";
import { createServer, endpointsAt, type RecordedRequest, sendJson } from "./http-server.ts";
import { type ParsedPart, parseMultipart } from "./multipart.ts";

/** What an upload sends. */
export interface Sent {
  request: RecordedRequest;
  parts: ParsedPart[];
}

const stored = { Name: "name", Hash: "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e", Size: "1" };

/** Uploads a source to a new server and returns what the server receives. */
export async function captureUpload(
  source: Source,
  options: Partial<Omit<UploadOptions, "apiKey" | "via" | "payPerUpload">> = {},
): Promise<Sent> {
  const server = await createServer((_, response) => sendJson(response, stored));
  try {
    await upload(source, { apiKey: "key", endpoints: endpointsAt(server.url), ...options });
    const [request] = server.requests;
    if (!request) throw new Error("nothing was sent");
    return { request, parts: await parseMultipart(request.headers, request.body) };
  } finally {
    await server.close();
  }
}

/** Returns the names and contents, as strings, of the files that an upload sends. */
export async function captureTexts(source: Source, options: Partial<UploadOptions> = {}): Promise<[string, string][]> {
  const { parts } = await captureUpload(source, options);
  return parts.map(({ filename, bytes }) => [filename, bytes.toString()]);
}
