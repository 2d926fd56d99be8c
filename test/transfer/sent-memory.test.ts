import { readFile, writeFile } from "node:fs/promises";
import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import { type AddressInfo, Socket } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { setImmediate } from "node:timers/promises";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { upload, uploadEncrypted } from "../../src/index.ts";
import { scratch } from "../support/files.ts";
import { owner } from "../support/fixtures.ts";
import { createServer, endpointsAt, sendJson } from "../support/http-server.ts";
import { computeCid, toStoredRows } from "../support/stored-rows.ts";

// The memory of a chunk is freed once a socket has written it: a test that frees too early receives other bytes.
const content = Uint8Array.from({ length: 5 * 1024 * 1024 + 7 }, (_, at) => (at * 31 + (at >> 12)) & 255);
let path: string;

beforeEach(async () => {
  path = join(await scratch(), "content.bin");
  await writeFile(path, content);
});

/** Uploads the file both ways; an encrypted upload compares the CID with that of the encrypted bytes. */
async function uploadBoth(url: string): Promise<void> {
  const options = { apiKey: "key", endpoints: endpointsAt(url) };
  const stored = await upload(path, options);
  expect(stored).toMatchObject([{ Hash: await computeCid(content) }]);
  expect(await uploadEncrypted(path, { ...owner, ...options, pauseMs: 0 })).toHaveLength(1);
}

test("a server that reads slowly over TLS receives every byte of a file", async () => {
  const pem = await readFile(new URL("../vectors/loopback-tls.pem", import.meta.url), "utf8");
  const { options } = https.globalAgent;
  const trusted = options.ca;
  options.ca = pem;
  const server = https.createServer({ key: pem, cert: pem }, async (request, response) => {
    const rows = request.url?.startsWith("/api/v0/add")
      ? await toStoredRows({ headers: request.headers, body: await readSlowly(request) })
      : { message: "success" };
    response.end(JSON.stringify(rows));
  });
  onTestFinished(() => {
    options.ca = trusted;
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  await uploadBoth(`https://127.0.0.1:${(server.address() as AddressInfo).port}`);
});

test("a custom agent whose sockets keep what they write has every byte of a file afterwards", async () => {
  const kept: Uint8Array[] = [];
  class RecordingSocket extends Socket {
    override _write(chunk: Uint8Array, encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
      kept.push(chunk);
      super._write(chunk, encoding, callback);
    }
  }
  class RecordingAgent extends http.Agent {
    override createConnection(options: http.ClientRequestArgs): Socket {
      return new RecordingSocket().connect(Number(options.port), "127.0.0.1");
    }
  }
  const { globalAgent } = http;
  http.globalAgent = new RecordingAgent();
  onTestFinished(() => {
    http.globalAgent = globalAgent;
  });
  const server = await createServer(async (request, response) => sendJson(response, await toStoredRows(request)));
  await upload(path, { apiKey: "key", endpoints: endpointsAt(server.url) });
  expect(Buffer.concat(kept).includes(Buffer.from(content))).toBe(true);
});

async function readSlowly(request: IncomingMessage): Promise<Buffer> {
  async function* chunks() {
    for await (const chunk of request) {
      yield chunk;
      for (let turn = 0; turn < 20; turn++) await setImmediate();
    }
  }
  return buffer(chunks());
}
