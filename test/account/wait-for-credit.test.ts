import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { createApiKey, createKit, getBalance, payWithToken, waitForCredit } from "../../src/index.ts";
import { chainForTests } from "../payment/chain-tools.ts";
import { failure } from "../support/failure.ts";
import { createServer, endpointsAt, sendJson } from "../support/http-server.ts";

const chain = chainForTests();
const before = { dataLimit: 100 };

/** A service that responds in turn, and in the end always as it did last. */
async function startService(...responses: ((response: ServerResponse) => void)[]) {
  let count = 0;
  const server = await createServer((_, response) => responses[Math.min(count++, responses.length - 1)]?.(response));
  const wait = (options: object = {}) =>
    waitForCredit(before, { apiKey: "k", endpoints: endpointsAt(server.url), pollMs: 1, ...options });
  return { wait, server };
}
const withLimit = (dataLimit: unknown) => (response: ServerResponse) => sendJson(response, { dataLimit, dataUsed: 7 });
const withStatus = (status: number) => (response: ServerResponse) => sendJson(response, { message: "no" }, status);

test("a payment is credited", async () => {
  const { devnet, network, payer } = chain();
  const { endpoints } = devnet;
  const { privateKey, wallet } = await payer("usdc");
  const apiKey = await createApiKey({ signer: wallet, endpoints });
  const earlier = await getBalance({ apiKey, endpoints });
  await payWithToken({ network, token: "usdc", size: 3_000_000, privateKey, pollMs: 5, endpoints });
  const { isCredited, balance } = await createKit({ apiKey, endpoints }).waitForCredit(earlier);
  expect(isCredited).toBe(true);
  expect(balance.dataLimit - earlier.dataLimit).toBeGreaterThanOrEqual(3_000_000);
  expect(await waitForCredit(balance, { apiKey, endpoints, waitMs: 1 })).toEqual({ isCredited: false, balance });
});

test("the account is read until its limit has grown", async () => {
  const { wait, server } = await startService(withLimit(100), withLimit(99), withLimit(100), withLimit(101));
  expect(await wait()).toEqual({ isCredited: true, balance: { dataLimit: 101, dataUsed: 7 } });
  expect(server.requests).toHaveLength(4);
});

test("a limit that does not grow in time is reported, not thrown", async () => {
  const { wait } = await startService(withLimit(100));
  expect(await wait({ waitMs: 20 })).toEqual({ isCredited: false, balance: { dataLimit: 100, dataUsed: 7 } });
});

test("requests that fail for now are made again", async () => {
  const broken = (response: ServerResponse) => response.destroy();
  const garbage = (response: ServerResponse) => response.end("<html>");
  const { wait } = await startService(
    withStatus(500),
    broken,
    garbage,
    withLimit("many"),
    withStatus(429),
    withLimit(200),
  );
  expect(await wait()).toMatchObject({ isCredited: true, balance: { dataLimit: 200 } });
});

test("a service that fails until the end is no credit that is missing", async () => {
  const { wait } = await startService(withStatus(500));
  expect(await failure(wait({ waitMs: 20 }))).toMatchObject({ code: "HTTP_STATUS", details: { status: 500 } });
});

test("an API key that is not valid fails at once", async () => {
  const { wait, server } = await startService(withStatus(401));
  expect(await failure(wait())).toMatchObject({ code: "HTTP_STATUS", details: { status: 401 } });
  expect(server.requests).toHaveLength(1);
});

test("an abort ends the wait between two requests", async () => {
  const controller = new AbortController();
  const { wait } = await startService((response) => {
    withLimit(100)(response);
    response.on("close", () => setImmediate(() => controller.abort()));
  });
  expect((await failure(wait({ pollMs: 3_600_000, signal: controller.signal }))).code).toBe("ABORTED");
});

describe("nothing is sent", () => {
  test.each([[undefined], [null], [5], [{}], [{ dataLimit: "5" }], [{ dataLimit: Number.NaN }]])(
    "if the earlier balance is %j",
    async (earlier) => {
      const { server } = await startService(withLimit(1));
      const options = { apiKey: "k", endpoints: endpointsAt(server.url) };
      const error = await failure(waitForCredit(earlier as never, options));
      expect([error.code, error.details["option"]]).toEqual(["INVALID_OPTION", "before"]);
      expect(server.requests).toEqual([]);
    },
  );

  test.each<[string, object, string]>([
    ["without an API key", { apiKey: undefined }, "MISSING_API_KEY"],
    ["with no time", { waitMs: 0 }, "INVALID_OPTION"],
    ["with no interval", { pollMs: -1 }, "INVALID_OPTION"],
  ])("%s", async (_, options, code) => {
    const { wait, server } = await startService(withLimit(1));
    expect((await failure(wait(options))).code).toBe(code);
    expect(server.requests).toEqual([]);
  });
});
