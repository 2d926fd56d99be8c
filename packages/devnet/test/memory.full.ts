import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:http2";
import { type Duplex, Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { account, getApiKey } from "../../../test/support/devnet-wire.ts";
import { nextMessage } from "../../../test/support/next-message.ts";
import type { Devnet, DevnetOptions } from "../src/index.ts";
import { getApiKeyOverHttp2 } from "./http2-client.ts";

const MIB = 1024 * 1024;

function peakMib(child: ChildProcess): Promise<number> {
  child.send("peak");
  return nextMessage(child);
}

const boundary = "----WebKitFormBoundary0123456789abcdef";

const getHeaders = (key: string) => ({
  authorization: `Bearer ${key}`,
  "content-type": `multipart/form-data; boundary=${boundary}`,
});

/** Sends a file of `mib` MiB, no two of whose blocks are equal. */
async function sendLarge(mib: number, to: Writable): Promise<void> {
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="large"\r\n\r\n`;
  const body = Readable.from(
    (function* () {
      yield Buffer.from(head);
      for (let sent = 0; sent < mib * 4; sent++) {
        const leaf = Buffer.alloc(MIB / 4, 5);
        leaf.writeUInt32BE(sent);
        yield leaf;
      }
      yield Buffer.from(`\r\n--${boundary}--\r\n`);
    })(),
    { objectMode: false },
  );
  await pipeline(body, to);
}

/** Uploads without holding the file in this process's memory; returns its content id. */
async function uploadLarge(url: string, key: string, mib: number): Promise<string> {
  const upload = request(`${url}/api/v0/add?cid-version=1`, { method: "POST", headers: getHeaders(key) });
  const responded = once(upload, "response");
  await sendLarge(mib, upload);
  const [response] = await responded;
  return readHash(response);
}

async function uploadOverHttp2({ endpoints, certificate }: Devnet, key: string, mib: number): Promise<string> {
  const session = connect(endpoints.upload, { ca: certificate });
  const path = "/api/v0/add?cid-version=1";
  const upload = session.request({ ":method": "POST", ":path": path, ...getHeaders(key) });
  // the response is read while the body is sent
  const [hash] = await Promise.all([readHash(upload), sendLarge(mib, upload)]);
  session.destroy();
  return hash;
}

async function readHash(response: Readable | Duplex): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString()).Hash;
}

/** Downloads and returns the number of bytes. */
async function countBytes(url: string): Promise<number> {
  const response = await fetch(url);
  let bytes = 0;
  for await (const chunk of response.body ?? []) bytes += chunk.byteLength;
  return bytes;
}

async function withDevnet(options: DevnetOptions, run: (child: ChildProcess, devnet: Devnet) => Promise<void>) {
  const script = fileURLToPath(new URL("memory-server.ts", import.meta.url));
  const execArgv = ["--import", "tsx", "--conditions=keeplight-source"];
  const child = fork(script, [JSON.stringify(options)], { execArgv });
  try {
    await run(child, await nextMessage<Devnet>(child));
  } finally {
    const ended = once(child, "exit");
    child.disconnect();
    expect((await ended)[0]).toBe(0);
  }
}

test("a file four times as large takes no more memory, uploaded or read as an archive", { timeout: 120_000 }, () =>
  withDevnet({}, async (child, devnet) => {
    const key = await getApiKey(devnet, account(devnet, 0));
    const { upload, gateway } = devnet.endpoints;
    const small = await uploadLarge(upload, key, 96);
    expect(await countBytes(`${gateway}/ipfs/${small}?format=car`)).toBeGreaterThan(96 * MIB);
    const before = await peakMib(child);
    const large = await uploadLarge(upload, key, 384);
    expect(await countBytes(`${gateway}/ipfs/${large}?format=car`)).toBeGreaterThan(384 * MIB);
    const range = `${300 * MIB}:${301 * MIB - 1}`;
    expect(await countBytes(`${gateway}/ipfs/${large}?format=car&entity-bytes=${range}`)).toBeLessThan(1.1 * MIB);
    expect((await peakMib(child)) - before).toBeLessThan(64);
  }),
);

test("an upload over HTTP/2 takes no more memory if it is four times as large", { timeout: 120_000 }, () =>
  withDevnet({ tls: true }, async (child, devnet) => {
    const key = await getApiKeyOverHttp2(devnet, account(devnet, 0));
    await uploadOverHttp2(devnet, key, 96);
    const before = await peakMib(child);
    expect(await uploadOverHttp2(devnet, key, 384)).toMatch(/^bafybei/);
    expect((await peakMib(child)) - before).toBeLessThan(64);
  }),
);
