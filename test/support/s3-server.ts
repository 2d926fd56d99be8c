import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { createObjects, getEtag, readObject, type S3Object } from "./s3-objects.ts";
import { findSignatureProblem, type S3Credentials } from "./s3-signature.ts";

/** A request that the server received. */
export interface S3Request {
  operation: "ListObjectsV2" | "GetObject" | "HeadObject";
  /** Empty for a listing. */
  key: string;
  query: URLSearchParams;
  headers: IncomingMessage["headers"];
}

/** What the server does instead of what was requested. */
export type S3Fault =
  /** Closes the connection without a response. */
  | { is: "reset" }
  /** Responds with an error. */
  | { is: "refuse"; status: number; code: string; headers?: Record<string, string> }
  /** Announces the whole object, and closes the connection after so many bytes of the body. */
  | { is: "cut"; atByte: number }
  /** Sends the headers and so many bytes of the body, and nothing more. */
  | { is: "hang"; atByte: number }
  /** Sends this instead of a listing. */
  | { is: "send"; body: string };

/** Returns what goes wrong with a request, if anything does. */
export type S3Faults = (request: S3Request) => S3Fault | undefined;

export interface S3ServerOptions {
  /** Keys of the objects that the bucket has first. */
  keys?: Iterable<string>;
  /** The most keys of a page of a listing. @default 1,000, as S3 */
  pageSize?: number;
  /** Whether `requests` has every request. @default true */
  isRecording?: boolean;
}

export type S3Server = Awaited<ReturnType<typeof startS3Server>>;

/** The only bucket. */
export const BUCKET = "datasets";

export const REGION = "eu-central-1";

const credentials: S3Credentials = { accessKeyId: "AKIAKEEPLIGHTTESTS00", secretAccessKey: "a-secret-of-the-tests/+" };

/** Statuses of the errors that the server itself responds with. */
const STATUSES: Record<string, number> = {
  AccessDenied: 403,
  InvalidAccessKeyId: 403,
  SignatureDoesNotMatch: 403,
  NoSuchBucket: 404,
  NoSuchKey: 404,
  MethodNotAllowed: 405,
  PreconditionFailed: 412,
  InvalidRange: 416,
};

/**
 * Starts a server on loopback that behaves like S3 with one bucket, addressed by path: ListObjectsV2, GetObject and HeadObject as in
 * the Amazon S3 API Reference. Requests have to be signed. Objects take no memory: their bytes follow from their keys.
 */
export async function startS3Server({ keys = [], pageSize = 1_000, isRecording = true }: S3ServerOptions = {}) {
  const objects = createObjects(keys);
  const sockets = new Set<Socket>();
  const requests: S3Request[] = [];
  let faults: S3Faults = () => undefined;

  const server = createServer((incoming, response) => {
    const [path = "", query = ""] = (incoming.url ?? "").split("?", 2);
    const [, bucket = "", ...names] = path.split("/").map(decodeURIComponent);
    const key = names.join("/");
    const operation = key === "" ? "ListObjectsV2" : incoming.method === "HEAD" ? "HeadObject" : "GetObject";
    const request: S3Request = { operation, key, query: new URLSearchParams(query), headers: incoming.headers };
    if (isRecording) requests.push(request);
    const problem = findSignatureProblem(incoming, credentials);
    const fault = faults(request);
    if (fault?.is === "reset") incoming.socket.destroy();
    else if (problem) sendError(response, request, problem.code, { details: problem.details });
    else if (fault?.is === "refuse") sendError(response, request, fault.code, fault);
    else if (!["GET", "HEAD"].includes(incoming.method ?? "")) sendError(response, request, "MethodNotAllowed");
    else if (bucket !== BUCKET) sendError(response, request, "NoSuchBucket");
    else if (fault?.is === "send") sendXml(response, 200, fault.body);
    else if (operation === "ListObjectsV2") sendXml(response, 200, list(request.query));
    else sendObject(response, request, objects.find(key), fault);
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  function list(query: URLSearchParams): string {
    const [prefix = "", token, after = ""] = ["prefix", "continuation-token", "start-after"].map(
      (name) => query.get(name) ?? undefined,
    );
    const isEncoded = query.get("encoding-type") === "url";
    const encode = (key: string) => (isEncoded ? encodeKey(key) : escapeXml(key));
    const limit = Math.min(Number(query.get("max-keys") ?? pageSize), pageSize);
    const start = token === undefined ? after : String(Buffer.from(token, "base64url"));
    const page: S3Object[] = [];
    let isTruncated = false;
    for (const object of objects.list(prefix, start)) {
      if (page.length === limit) isTruncated = true;
      if (isTruncated) break;
      page.push(object);
    }
    const next = Buffer.from(page.at(-1)?.key ?? "").toString("base64url");
    return [
      '<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">',
      `<Name>${BUCKET}</Name><Prefix>${encode(prefix)}</Prefix><KeyCount>${page.length}</KeyCount>`,
      `<MaxKeys>${limit}</MaxKeys>${isEncoded ? "<EncodingType>url</EncodingType>" : ""}`,
      `<IsTruncated>${isTruncated}</IsTruncated>`,
      isTruncated ? `<NextContinuationToken>${next}</NextContinuationToken>` : "",
      ...page.map(
        (object) =>
          `<Contents><Key>${encode(object.key)}</Key><LastModified>${new Date(object.mtime).toISOString()}</LastModified>` +
          `<ETag>${escapeXml(getEtag(object))}</ETag><Size>${object.size}</Size><StorageClass>STANDARD</StorageClass></Contents>`,
      ),
      "</ListBucketResult>",
    ].join("");
  }

  return {
    endpoint,
    credentials,
    objects,
    /** Every request that arrived, oldest first. */
    requests,
    /** Says what goes wrong from now on. */
    setFaults(next: S3Faults = () => undefined): void {
      faults = next;
    },
    /** How many connections are open. */
    connections: () => sockets.size,
    async close(): Promise<void> {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  };
}

const PART_BYTES = 256 * 1024;

function sendObject(
  response: ServerResponse,
  request: S3Request,
  object: S3Object | undefined,
  fault: S3Fault | undefined,
): void {
  if (!object) return void sendError(response, request, "NoSuchKey", { details: { Key: request.key } });
  const { size } = object;
  const { range = "", "if-match": match } = request.headers;
  const etag = getEtag(object);
  if (match !== undefined && match !== etag) return void sendError(response, request, "PreconditionFailed");
  const [, first] = /^bytes=(\d+)-$/.exec(range) ?? [];
  const from = Number(first ?? 0);
  if (first !== undefined && from >= size) return void sendError(response, request, "InvalidRange");
  response.writeHead(first === undefined ? 200 : 206, {
    "Content-Type": "application/octet-stream",
    "Content-Length": size - from,
    "Accept-Ranges": "bytes",
    "Last-Modified": new Date(object.mtime).toUTCString(),
    ETag: etag,
    ...(first === undefined ? {} : { "Content-Range": `bytes ${from}-${size - 1}/${size}` }),
  });
  if (request.operation === "HeadObject") return void response.end();
  const isEndless = fault?.is !== "cut" && fault?.is !== "hang";
  void sendBody(response, object, from, isEndless ? size : Math.min(size, from + fault.atByte)).then(() => {
    if (isEndless) response.end();
    else if (fault.is === "cut") response.socket?.destroy();
  });
}

/** Sends bytes of an object, no faster than they are received. */
async function sendBody(response: ServerResponse, object: S3Object, from: number, to: number): Promise<void> {
  response.flushHeaders();
  for (let at = from; at < to && !response.destroyed; at += PART_BYTES) {
    const part = readObject(object, at, Math.min(to, at + PART_BYTES));
    await new Promise<void>((resolve) => {
      response.once("close", resolve);
      response.write(part, () => {
        response.off("close", resolve);
        resolve();
      });
    });
  }
}

function sendError(
  response: ServerResponse,
  { operation, key }: S3Request,
  code: string,
  {
    status = STATUSES[code] ?? 500,
    headers = {},
    details = {},
  }: { status?: number; headers?: Record<string, string>; details?: Record<string, string> } = {},
): void {
  // A response to HEAD has no body, and no code with it.
  if (operation === "HeadObject") return void response.writeHead(status, headers).end();
  const fields = { Code: code, Message: `The request ended in ${code}`, Resource: `/${key}`, ...details };
  const xml = Object.entries(fields).map(([name, text]) => `<${name}>${escapeXml(text)}</${name}>`);
  sendXml(response, status, `<Error>${xml.join("")}<RequestId>0123456789ABCDEF</RequestId></Error>`, headers);
}

function sendXml(response: ServerResponse, status: number, body: string, headers: Record<string, string> = {}): void {
  response
    .writeHead(status, { "Content-Type": "application/xml", ...headers })
    .end(`<?xml version="1.0" encoding="UTF-8"?>\n${body}`);
}

/** Encodes a key as forms are, but for its slashes. */
function encodeKey(key: string): string {
  const encoded = new URLSearchParams({ key }).toString().slice("key=".length);
  return encoded.replaceAll("%2F", "/");
}

function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
