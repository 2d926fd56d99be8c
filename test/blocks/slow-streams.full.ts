import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, test } from "vitest";
import { type DownloadReport, download } from "../../src/index.ts";
import { startGateway, type Way } from "./stand-in.ts";
import { makeBytes, storeFile, type Tree } from "./trees.ts";

const content = makeBytes(20_000_003);
const PIECE_BYTES = 64 * 1024;
let tree: Tree;

beforeAll(async () => {
  tree = await storeFile(content);
});

/** Sends bytes at no more than some 4 MiB per second. */
async function sendSlowly(bytes: Uint8Array, response: ServerResponse): Promise<void> {
  for (let at = 0; at < bytes.length && !response.destroyed; at += PIECE_BYTES) {
    await sleep(15);
    response.write(bytes.subarray(at, at + PIECE_BYTES));
  }
  response.end();
}

/** Starts a gateway that limits each response, and counts its ranges. */
async function startSlow(ways: Way[], change?: (bytes: Uint8Array, from: number) => Uint8Array) {
  const counts = { ranges: 0, atOnce: 0, mostAtOnce: 0 };
  const gateway = await startGateway(tree.blocks, {
    ways,
    async intercept({ method, headers }, response) {
      const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? "") ?? [];
      if (method === "POST") {
        response.writeHead(200, { "Content-Length": content.length });
        await sendSlowly(content, response);
        return true;
      }
      if (from === undefined || !ways.includes("range")) return false;
      counts.ranges++;
      counts.mostAtOnce = Math.max(counts.mostAtOnce, ++counts.atOnce);
      const part = content.subarray(Number(from), Number(to) + 1);
      response.writeHead(206, {
        "Content-Length": part.length,
        "Content-Range": `bytes ${from}-${to}/${content.length}`,
      });
      await sendSlowly(change?.(part, Number(from)) ?? part, response);
      counts.atOnce--;
      return true;
    },
  });
  return { gateway, counts };
}

test("up to four ranges of a slow stream are fetched at once", async () => {
  const { gateway, counts } = await startSlow(["raw", "range", "whole"]);
  let report: DownloadReport | undefined;
  const bytes = await download(tree.cid, {
    endpoints: { gateway: gateway.url },
    onDownloaded: (seen) => (report = seen),
  });
  expect(Buffer.compare(bytes, content)).toBe(0);
  expect(counts.mostAtOnce).toBe(4);
  expect(counts.ranges).toBeGreaterThan(5);
  expect(report).toMatchObject({ verified: true, by: "blocks", gateways: [{ failed: 0 }] });
});

test("a stream that is not slow is not split", async () => {
  const gateway = await startGateway(tree.blocks, { ways: ["raw", "range", "whole"] });
  expect(Buffer.compare(await download(tree.cid, { endpoints: { gateway: gateway.url } }), content)).toBe(0);
  expect(gateway.requests.filter(({ headers }) => headers.range !== undefined)).toEqual([]);
});

test("a slow stream of a gateway without ranges stays one", async () => {
  const { gateway, counts } = await startSlow(["raw", "whole"]);
  expect(Buffer.compare(await download(tree.cid, { endpoints: { gateway: gateway.url } }), content)).toBe(0);
  expect(counts.ranges).toBe(0);
  expect(gateway.requests.filter(({ method }) => method === "POST")).toHaveLength(1);
});

test("a gateway whose ranges are wrong is named, and its stream is used instead", async () => {
  const change = (bytes: Uint8Array) => Uint8Array.from(bytes, (byte, at) => (at === 100 ? byte ^ 1 : byte));
  const { gateway } = await startSlow(["raw", "range", "whole"], change);
  let report: DownloadReport | undefined;
  const endpoints = { gateway: gateway.url };
  const bytes = await download(tree.cid, { endpoints, onDownloaded: (seen) => (report = seen) });
  expect(Buffer.compare(bytes, content)).toBe(0);
  expect(report?.gateways[0]).toMatchObject({ url: gateway.url, code: "CID_MISMATCH" });
});
