import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { createServer as createTcpServer, type Socket } from "node:net";
import { join } from "node:path";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import { formatCid } from "../../src/formats/cid/content-id.ts";
import { hashFile } from "../../src/formats/cid/file.ts";
import { decrypt, download, encryptBytes, getTicker } from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { scratch } from "../support/files.ts";
import { opaqueCid } from "../support/fixtures.ts";
import { createServer, endpointsAt } from "../support/http-server.ts";

const key = "0b".repeat(32);
const plain = Uint8Array.from({ length: 5_000 }, (_, at) => (at * 31 + (at >> 8)) % 251);
const hasher = hashFile(1);
await hasher.update(plain);
const cid = formatCid((await hasher.finish()).cid);

/** Starts a gateway that writes these raw bytes to the connection, and then ends it with `end`. */
async function startRawGateway(bytes: Uint8Array, end: (socket: Socket) => void) {
  const server = createTcpServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.write(bytes, () => end(socket)));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  return endpointsAt(`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`);
}

const head = (lines: readonly string[]) => Buffer.from(`${["HTTP/1.1 200 OK", ...lines].join("\r\n")}\r\n\r\n`);
const untilClosed = (body: Uint8Array) => Buffer.concat([head(["Connection: close"]), body]);
const fin = (socket: Socket) => void socket.end();
const reset = (socket: Socket) => void setTimeout(() => socket.resetAndDestroy(), 20);

describe("a body that ends with its connection", () => {
  test.each([0, 1, 2_500, 4_999])("reset after %d bytes is an error, and nothing is saved", async (size) => {
    const endpoints = await startRawGateway(untilClosed(plain.subarray(0, size)), reset);
    const folder = await scratch();
    expect(await failure(download(cid, { endpoints }))).toMatchObject({ code: "NETWORK" });
    expect(await failure(download(cid, { endpoints, to: join(folder, "file") }))).toMatchObject({ code: "NETWORK" });
    expect(await readdir(folder)).toEqual([]);
  });

  test.each([0, 1, 2_500, 4_999])("closed after %d bytes is not the file of the CID", async (size) => {
    const endpoints = await startRawGateway(untilClosed(plain.subarray(0, size)), fin);
    expect(await failure(download(cid, { endpoints }))).toMatchObject({ code: "CID_MISMATCH" });
  });

  test("is accepted if it matches its CID, or its tag", async () => {
    const endpoints = await startRawGateway(untilClosed(plain), fin);
    expect(Buffer.compare(await download(cid, { endpoints }), plain)).toBe(0);
    const encrypted = await startRawGateway(untilClosed(await encryptBytes(plain, key)), fin);
    expect(Buffer.compare(await decrypt(opaqueCid, { verifyCid: false, endpoints: encrypted, key }), plain)).toBe(0);
  });
});

describe("a price whose body ends with its connection", () => {
  test("is refused: truncated, it would be another price", async () => {
    for (const body of ["1", "1234.5678"]) {
      const endpoints = await startRawGateway(untilClosed(Buffer.from(body)), fin);
      const { code, cause } = await failure(getTicker("FIL", { endpoints }));
      expect([code, cause]).toEqual(["TICKER_FAILED", expect.objectContaining({ code: "INVALID_RESPONSE" })]);
    }
  });

  test.each([
    ["its length", "Content-Length: 9", "1234.5678"],
    ["its chunks", "Transfer-Encoding: chunked", "9\r\n1234.5678\r\n0\r\n\r\n"],
  ])("is accepted if %s prove the end", async (_, header, body) => {
    const endpoints = await startRawGateway(
      Buffer.concat([head([header, "Connection: close"]), Buffer.from(body)]),
      fin,
    );
    expect(await getTicker("FIL", { endpoints })).toBe(1234.5678);
  });
});

describe("a gateway that compresses the response to a request without compression", () => {
  const encodings: [string, (bytes: Uint8Array) => Buffer][] = [
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ];

  test.each(encodings)("is understood: %s", async (encoding, compress) => {
    const { url } = await createServer((_, response) =>
      response.setHeader("Content-Encoding", encoding).end(compress(plain)),
    );
    expect(Buffer.compare(await download(cid, { endpoints: endpointsAt(url) }), plain)).toBe(0);
  });

  test.each(encodings)("is refused if %s ends too early inside correct framing", async (encoding, compress) => {
    const whole = compress(plain);
    for (const size of [0, 1, Math.floor(whole.length / 2), whole.length - 1]) {
      const { url } = await createServer((_, response) =>
        response.setHeader("Content-Encoding", encoding).end(whole.subarray(0, size)),
      );
      expect(await failure(download(cid, { endpoints: endpointsAt(url) }))).toMatchObject({ code: "NETWORK" });
    }
  });

  test("is refused if a small body expands without limit", async () => {
    const bomb = gzipSync(new Uint8Array(80 * 1024 * 1024));
    const { url } = await createServer((_, response) => response.setHeader("Content-Encoding", "gzip").end(bomb));
    expect(bomb.length).toBeLessThan(100_000);
    expect(await failure(download(opaqueCid, { verifyCid: false, endpoints: endpointsAt(url) }))).toMatchObject({
      code: "RESPONSE_TOO_LARGE",
      details: { limitBytes: 64 * 1024 * 1024 },
    });
  });

  test("is refused if the encoding is unknown", async () => {
    const { url } = await createServer((_, response) => response.setHeader("Content-Encoding", "constructor").end("x"));
    expect(await failure(download(cid, { endpoints: endpointsAt(url) }))).toMatchObject({ code: "NETWORK" });
  });
});

describe.each([201, 202, 203, 204, 205, 206, 207, 226, 299])("status %d", (status) => {
  test("is not a file, and nothing is saved", async () => {
    const { url } = await createServer((_, response) =>
      response.writeHead(status, { "Content-Range": "bytes 1-3/5" }).end(status === 204 ? undefined : "oops"),
    );
    const to = join(await scratch(), "file");
    for (const call of [
      () => download(cid, { endpoints: endpointsAt(url), to }),
      () => decrypt(cid, { endpoints: endpointsAt(url), key, to }),
    ]) {
      const error = await failure(call());
      expect(error).toMatchObject({
        code: "HTTP_STATUS",
        message: `HTTP error! status: ${status}`,
        details: { status },
      });
      expect(error.details["serverMessage"]).toBeUndefined();
    }
    expect(await readdir(join(to, ".."))).toEqual([]);
  });
});
