import { expect, test } from "vitest";
import { getQuote } from "../../src/payment/quote.ts";
import { failure } from "../support/failure.ts";
import { scratch, writeTree } from "../support/files.ts";
import { createServer, endpointsAt, sendJson } from "../support/http-server.ts";

test("a folder is quoted file by file, without a request if there is no API key", async () => {
  const folder = await writeTree(`${await scratch()}/site`, {
    "index.html": "<p>",
    "img/photo.JPEG": new Uint8Array(1000),
    "img/.hidden": "",
    "data.constructor": "1",
  });
  expect(await getQuote(folder)).toEqual({
    metaData: [
      { fileSize: 1, mimeType: null, fileName: "site/data.constructor" },
      { fileSize: 0, mimeType: null, fileName: "site/img/.hidden" },
      { fileSize: 1000, mimeType: "image/jpeg", fileName: "site/img/photo.JPEG" },
      { fileSize: 3, mimeType: "text/html", fileName: "site/index.html" },
    ],
    totalSize: 1004,
  });
});

test("the type that a file has takes precedence", async () => {
  const { metaData } = await getQuote(new File(["x"], "a.txt", { type: "application/x-mine" }));
  expect(metaData).toEqual([{ fileSize: 1, mimeType: "application/x-mine", fileName: "a.txt" }]);
});

test("with an API key it returns what would be left, below 0 if the files do not fit", async () => {
  const { url } = await createServer((_, response) => sendJson(response, { dataLimit: 100, dataUsed: 90 }));
  const { usage } = await getQuote(new Uint8Array(15), { apiKey: "key", endpoints: endpointsAt(url) });
  expect(usage).toEqual({ dataLimit: 100, dataUsed: 90, dataLeft: -5 });
});

test("with a network or a token it returns the price", async () => {
  const { price, usage } = await getQuote(new Uint8Array(3 * 2 ** 20), { network: "polygon", token: "usdc" });
  expect(price).toEqual({ token: "usdc", amount: 11_719n, decimals: 6, usd: "0.01171875" });
  expect(usage).toBeUndefined();
  const small = await getQuote(new Uint8Array(1), { token: "dai" });
  expect(small.price).toMatchObject({ amount: 3_906_250_000_000_000n, decimals: 18, usd: "0.00390625" });
});

test("a stream is quoted by its declared size, unread, and refused without one", async () => {
  let read = false;
  const stream = {
    async *[Symbol.asyncIterator]() {
      read = true;
      yield new Uint8Array(7);
    },
  };
  expect(await getQuote({ name: "a.mp4", size: 7, stream })).toEqual({
    metaData: [{ fileSize: 7, mimeType: "video/mp4", fileName: "a.mp4" }],
    totalSize: 7,
  });
  const { code, message } = await failure(getQuote({ name: "a.mp4", stream }));
  expect(`${code}: ${message}`).toBe("INVALID_SOURCE: Invalid source: a quote requires the size of a stream");
  expect(read).toBe(false);
});
