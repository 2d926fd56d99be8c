import { describe, expect, test } from "vitest";
import { getTicker } from "../../src/payment/ticker.ts";
import { failure } from "../support/failure.ts";
import { createServer, endpointsAt, findClosedUrl, sendJson } from "../support/http-server.ts";

test.each([[0], [-1], ["3.5"], ["free"], [null], [{ price: 3 }], [[3]], [1e12], [1e308]])(
  "%j is not a price",
  async (body) => {
    const { url } = await createServer((_, response) => sendJson(response, body));
    const { code, message, cause } = await failure(getTicker("FIL", { endpoints: endpointsAt(url) }));
    expect(`${code}: ${message}`).toBe(
      "TICKER_FAILED: Failed to get ticker price: The API host sent no price above 0 and below 10^12",
    );
    expect(cause).toMatchObject({ code: "INVALID_RESPONSE" });
  },
);

test("a price too large for a number is not a price", async () => {
  const { url } = await createServer((_, response) => response.end("1e999"));
  expect((await failure(getTicker("FIL", { endpoints: endpointsAt(url) }))).code).toBe("TICKER_FAILED");
});

test("a failed request is the cause, and its facts are in the details", async () => {
  const error = await failure(getTicker("FIL", { endpoints: endpointsAt(await findClosedUrl()) }));
  expect(error.message).toBe("Failed to get ticker price: Network error");
  expect(error.cause).toMatchObject({ code: "NETWORK" });
  expect(error.details).toMatchObject({ method: "GET", symbol: "FIL" });
});

test("an abort throws ABORTED", async () => {
  const controller = new AbortController();
  const { url } = await createServer(() => controller.abort());
  const call = getTicker("FIL", { endpoints: endpointsAt(url), signal: controller.signal });
  expect((await failure(call)).code).toBe("ABORTED");
});

describe("a price with headers that make it", () => {
  const fetchPrice = async (headers: Record<string, string>) => {
    const { url } = await createServer((_, response) => {
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      sendJson(response, 3.5);
    });
    return getTicker("FIL", { endpoints: endpointsAt(url) });
  };
  const date = "Thu, 17 Sep 2026 12:00:00 GMT";

  test.each([
    ["301 seconds old by a cache", { age: "301" }, "301"],
    ["600 seconds old by the host", { date, "last-modified": "Thu, 17 Sep 2026 11:50:00 GMT" }, "600"],
    ["330 seconds old by both together", { date, "last-modified": "Thu, 17 Sep 2026 11:57:00 GMT", age: "150" }, "330"],
    ["400 seconds old by the first of two caches", { age: "400, 200" }, "400"],
    ["older than anything", { age: "1e999" }, "Infinity"],
  ])("%s is refused", async (_, headers, seconds) => {
    const error = await failure(fetchPrice(headers));
    expect([error.code, error.message]).toEqual([
      "TICKER_FAILED",
      `Failed to get ticker price: The price is ${seconds} seconds old`,
    ]);
    expect(error.details["symbol"]).toBe("FIL");
  });

  test.each([
    ["five minutes old", { age: "300" }],
    ["young by the first of two caches", { age: "200, 400" }],
    ["made for this request", { date, "last-modified": date }],
    ["changed after it was sent", { date, "last-modified": "Fri, 18 Sep 2026 12:00:00 GMT" }],
    ["long past by only this machine's clock", { date: "Thu, 01 Jan 1998 12:00:00 GMT" }],
    ["without a valid time", { age: "young", date: "today", "last-modified": "before" }],
  ])("%s is accepted", async (_, headers) => {
    expect(await fetchPrice(headers)).toBe(3.5);
  });
});
