import { expect, test } from "vitest";
import { deleteFile, download, getFileInfo, getTicker, kavachGetAuthMessage, upload } from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { address, opaqueCid as cid } from "../support/fixtures.ts";
import { createServer, endpointsAt, type Handler } from "../support/http-server.ts";

/** Refuses the first requests, then responds with `body`. */
function createBusyServer(refusals: number, retryAfter: string | undefined, body = "1.5", status = 429) {
  let left = refusals;
  const handler: Handler = (_, response) => {
    if (left-- > 0) response.writeHead(status, retryAfter === undefined ? {} : { "Retry-After": retryAfter }).end();
    else response.end(body);
  };
  return createServer(handler);
}

const ticker = (url: string, more: object = {}) => getTicker("FIL", { endpoints: endpointsAt(url), ...more });

test.each([429, 503])("a request that is refused with %i until a time is sent again then", async (status) => {
  const { url, requests } = await createBusyServer(2, "0", "1.5", status);
  expect(await ticker(url)).toBe(1.5);
  expect(requests).toHaveLength(3);
});

test("so is a download, which starts with the first byte of the file", async () => {
  const { url, requests } = await createBusyServer(1, new Date(0).toUTCString(), "file");
  expect(new TextDecoder().decode(await download(cid, { verifyCid: false, endpoints: endpointsAt(url) }))).toBe("file");
  expect(requests).toHaveLength(2);
});

test("the third refusal is final", async () => {
  const { url, requests } = await createBusyServer(3, "0");
  expect((await failure(ticker(url))).cause).toMatchObject({
    code: "HTTP_STATUS",
    details: { status: 429, retryAfterSeconds: 0 },
  });
  expect(requests).toHaveLength(3);
});

test.each(["6", "999999999999999", "9".repeat(400), "-1", "NaN", "Infinity", "soon", undefined])(
  "a refusal with Retry-After %s is final at once",
  async (retryAfter) => {
    const { url, requests } = await createBusyServer(1, retryAfter);
    expect((await failure(ticker(url))).cause).toMatchObject({ code: "HTTP_STATUS", details: { status: 429 } });
    expect(requests).toHaveLength(1);
  },
);

test("a refusal is final at once if the wait would end after the time limit", async () => {
  const { url, requests } = await createBusyServer(1, "5");
  expect((await failure(ticker(url, { timeoutMs: 5_000 }))).cause).toMatchObject({ code: "HTTP_STATUS" });
  expect(requests).toHaveLength(1);
});

test("what must not be done twice is not sent again, nor is anything to a key node", async () => {
  const endpoints = (url: string) => ({ endpoints: endpointsAt(url) });
  const calls: ((url: string) => Promise<unknown>)[] = [
    (url) => upload(Uint8Array.of(1), { apiKey: "key", ...endpoints(url) }),
    (url) => deleteFile("id", { apiKey: "key", ...endpoints(url) }),
    (url) => kavachGetAuthMessage(address, endpoints(url)),
  ];
  for (const call of calls) {
    const { url, requests } = await createBusyServer(1, "0");
    expect(await failure(call(url))).toMatchObject({ details: { status: 429 } });
    expect(requests).toHaveLength(1);
  }
});

test("an abort ends the wait, and nothing is sent any more", async () => {
  const controller = new AbortController();
  const { url, requests } = await createServer((_, response) => {
    response.writeHead(429, { "Retry-After": "5" }).end();
    response.on("close", () => controller.abort());
  });
  const call = getFileInfo(cid, { endpoints: endpointsAt(url), signal: controller.signal, timeoutMs: 60_000 });
  expect(await failure(call)).toMatchObject({ code: "ABORTED" });
  expect(requests).toHaveLength(1);
});
