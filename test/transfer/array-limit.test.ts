import { expect, test, vi } from "vitest";
import { decrypt, download, encryptBytes } from "../../src/index.ts";
import { startGateway, type Way } from "../blocks/stand-in.ts";
import { makeBytes, storeFile } from "../blocks/trees.ts";
import { failure } from "../support/failure.ts";
import { opaqueCid as cid } from "../support/fixtures.ts";
import { createServer, endpointsAt, type Handler } from "../support/http-server.ts";

const key = "0b".repeat(32);
const MIB = 1024 * 1024;

/** The maximum bytes of one array: this runtime's limit, or a smaller one, so that tests need not send gigabytes. */
const limit = vi.hoisted(() => ({ bytes: undefined as number | undefined }));

vi.mock("../../src/platform/node/array-limit.ts", async (original) => {
  const { maxArrayBytes } = await original<typeof import("../../src/platform/node/array-limit.ts")>();
  return {
    get maxArrayBytes() {
      return limit.bytes ?? maxArrayBytes;
    },
  };
});

const calls: [string, (gateway: string, output?: object) => Promise<unknown>][] = [
  ["download", (url, output = {}) => download(cid, { verifyCid: false, endpoints: endpointsAt(url), ...output })],
  ["decrypt", (url, output = {}) => decrypt(cid, { verifyCid: false, endpoints: endpointsAt(url), key, ...output })],
];

/** Each call, with what it returns in memory. */
const callsByForm = calls.flatMap(([name, call]) => [
  [`${name} to bytes`, (url: string) => call(url)] as const,
  [`${name} to a Blob`, (url: string) => call(url, { as: "blob" })] as const,
]);

test.each(callsByForm)(
  "%s refuses a response larger than one array as soon as its length is announced",
  async (_, call) => {
    limit.bytes = undefined;
    let sent = 0;
    const announce: Handler = (__, response) => {
      response.writeHead(200, { "Content-Length": 2 ** 33 });
      response.write(new Uint8Array(1000), () => {
        sent += 1000;
      });
    };
    const { url } = await createServer(announce);
    const error = await failure(call(url));
    expect(error).toMatchObject({ code: "RESPONSE_TOO_LARGE" });
    expect(error.message).toContain('save it with `to`, or use as: "stream"');
    expect(error.details["bytes"]).toBeGreaterThan(4 * 1024 * MIB);
    expect(sent).toBeLessThanOrEqual(1000);
  },
);

test.each(callsByForm)("%s refuses a response of unannounced length when it exceeds the limit", async (_, call) => {
  limit.bytes = MIB;
  const endless: Handler = (__, response) => {
    const more = () => {
      while (!response.destroyed && response.write(new Uint8Array(64 * 1024)));
      response.once("drain", more);
    };
    more();
  };
  const { url } = await createServer(endless);
  expect(await failure(call(url))).toMatchObject({ code: "RESPONSE_TOO_LARGE" });
});

test("a file of the maximum size is returned as bytes, and a larger one as a stream", async () => {
  limit.bytes = MIB;
  const fits = await encryptBytes(new Uint8Array(MIB), key);
  const larger = await encryptBytes(new Uint8Array(MIB + 1), key);
  const { url } = await createServer((_, response) => response.end(fits));
  const { url: largerUrl } = await createServer((_, response) => response.end(larger));
  expect((await decrypt(cid, { verifyCid: false, endpoints: endpointsAt(url), key })).length).toBe(MIB);
  expect(await failure(decrypt(cid, { verifyCid: false, endpoints: endpointsAt(largerUrl), key }))).toMatchObject({
    code: "RESPONSE_TOO_LARGE",
  });
  const stream = await decrypt(cid, { verifyCid: false, endpoints: endpointsAt(largerUrl), key, as: "stream" });
  expect((await new Response(stream).arrayBuffer()).byteLength).toBe(MIB + 1);
});

test.each<[string, Way[]]>([
  ["sends the file", ["raw", "whole"]],
  ["sends only blocks", ["raw"]],
])(
  "a file that its blocks prove to be too large is refused before it is fetched, from a gateway that %s",
  async (_, ways) => {
    limit.bytes = MIB;
    const file = await storeFile(makeBytes(2 * MIB));
    const gateways = await Promise.all([startGateway(file.blocks, { ways }), startGateway(file.blocks, { ways })]);
    const call = download(file.cid, { endpoints: { gateway: gateways.map(({ url }) => url) } });
    expect(await failure(call)).toMatchObject({ code: "RESPONSE_TOO_LARGE", details: { bytes: 2 * MIB } });
    const blocks = gateways.flatMap(({ requests }) => requests).filter(({ method }) => method === "GET");
    expect(new Set(blocks.map(({ path }) => path))).toEqual(new Set([`/ipfs/${file.cid}`]));
  },
);
