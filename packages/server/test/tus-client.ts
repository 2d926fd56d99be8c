import { Buffer } from "node:buffer";
import { Upload } from "tus-js-client";

/** Metadata as tus sends it. */
function encodeMetadata(metadata: Record<string, string>): string {
  return Object.entries(metadata)
    .map(([name, value]) => `${name} ${Buffer.from(value).toString("base64")}`)
    .join(",");
}

/** Sends one request of the protocol. */
export function tus(method: string, url: string, headers: Record<string, string> = {}, body?: Uint8Array<ArrayBuffer>) {
  return fetch(url, { method, headers: { "Tus-Resumable": "1.0.0", ...headers }, ...(body ? { body } : {}) });
}

/** Creates an upload; returns the response and the URL of the upload. */
export async function create(
  url: string,
  length: number | string,
  metadata: Record<string, string>,
  headers: Record<string, string> = {},
) {
  const response = await tus("POST", url, {
    "Upload-Length": String(length),
    "Upload-Metadata": encodeMetadata(metadata),
    ...headers,
  });
  return { response, at: new URL(response.headers.get("location") ?? "", url).href };
}

/** Sends bytes from an offset on. */
export function patch(at: string, offset: number, body: Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) {
  const own = { "Upload-Offset": String(offset), "Content-Type": "application/offset+octet-stream" };
  return tus("PATCH", at, { ...own, ...headers }, body);
}

export async function readOffset(at: string): Promise<number> {
  return Number((await tus("HEAD", at)).headers.get("upload-offset") ?? Number.NaN);
}

/** What the network has stored, as the handler says it. */
export interface Stored {
  Name: string;
  Hash: string;
  Size: string;
}

/** Asks until an upload is stored; returns the last response. */
export async function getResult(
  at: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: Stored & { error?: { code?: string } } }> {
  for (;;) {
    const response = await fetch(at, { headers });
    if (response.status !== 202) return { status: response.status, body: await response.json() };
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** Uploads bytes in three requests, as after two losses of the connection; returns what is stored. */
export async function uploadInParts(
  url: string,
  bytes: Uint8Array<ArrayBuffer>,
  headers: Record<string, string>,
): Promise<Stored> {
  const { at } = await create(url, bytes.length, { filename: "parts.bin" }, headers);
  const part = Math.ceil(bytes.length / 3);
  for (;;) {
    const offset = Number((await tus("HEAD", at, headers)).headers.get("upload-offset"));
    if (offset === bytes.length) break;
    const { status } = await patch(at, offset, bytes.slice(offset, offset + part), headers);
    if (status !== 204) throw new Error(`status ${status}`);
  }
  const { status, body } = await getResult(at, headers);
  if (status !== 200) throw new Error(`status ${status}: ${JSON.stringify(body)}`);
  return body;
}

/** Uploads a file by the client that most pages use; returns the URL of the upload. */
export function uploadByClient(endpoint: string, file: Buffer, metadata: Record<string, string>, chunkSize: number) {
  return new Promise<string>((resolve, reject) => {
    const upload = new Upload(file, {
      endpoint,
      metadata,
      chunkSize,
      retryDelays: [0, 100, 200, 400],
      onSuccess: () => resolve(upload.url ?? ""),
      onError: reject,
    });
    upload.start();
  });
}
