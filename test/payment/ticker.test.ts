import { expect, test } from "vitest";
import { getTicker } from "../../src/payment/ticker.ts";
import { failure } from "../support/failure.ts";
import { createServer, deadUrl, endpointsAt, sendJson } from "../support/http-server.ts";

test.each([[0], [-1], ["3.5"], ["free"], [null], [{ price: 3 }], [[3]]])("%j is no price", async (answer) => {
  const { url } = await createServer((_, response) => sendJson(response, answer));
  const { code, message, cause } = await failure(getTicker("FIL", { endpoints: endpointsAt(url) }));
  expect(`${code}: ${message}`).toBe("TICKER_FAILED: Failed to get ticker price: The API host gave no price above 0");
  expect(cause).toMatchObject({ code: "INVALID_ANSWER" });
});

test("a price too large for a number is no price", async () => {
  const { url } = await createServer((_, response) => response.end("1e999"));
  expect((await failure(getTicker("FIL", { endpoints: endpointsAt(url) }))).code).toBe("TICKER_FAILED");
});

test("a failed request is its cause, whose facts it has", async () => {
  const error = await failure(getTicker("FIL", { endpoints: endpointsAt(await deadUrl()) }));
  expect(error.message).toBe("Failed to get ticker price: Network error");
  expect(error.cause).toMatchObject({ code: "NETWORK" });
  expect(error.details).toMatchObject({ method: "GET", symbol: "FIL" });
});

test("an abort is an abort", async () => {
  const controller = new AbortController();
  const { url } = await createServer(() => controller.abort());
  const call = getTicker("FIL", { endpoints: endpointsAt(url), signal: controller.signal });
  expect((await failure(call)).code).toBe("ABORTED");
});
