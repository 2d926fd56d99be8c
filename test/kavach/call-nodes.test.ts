import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  type CompletedNodes,
  download,
  type KeyNodeOptions,
  kavachGenerate,
  kavachRecoverShards,
  kavachRevoke,
  kavachSaveShards,
  kavachShare,
  UnfinishedError,
  upload,
} from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { address, opaqueCid as cid, owner } from "../support/fixtures.ts";
import {
  createServer,
  endpointsAt,
  findClosedUrl,
  type Handler,
  sendJson,
  type TestServer,
} from "../support/http-server.ts";

const friend = "0x00000000000000000000000000000000000000BB";
const { keyShards } = await kavachGenerate();

type Call = (url: string, options?: KeyNodeOptions) => Promise<CompletedNodes>;
const quick = { pauseMs: 0, retryMs: 0 };

const calls: [
  name: string,
  method: string,
  Call,
  body: (node: number) => unknown,
  afterFailure: "stops" | "continues",
][] = [
  [
    "kavachSaveShards",
    "POST",
    (url, options) => kavachSaveShards(cid, { endpoints: endpointsAt(url), ...quick, ...owner, keyShards, ...options }),
    (node) => ({ address, cid, payload: keyShards[node - 1] }),
    "stops",
  ],
  [
    "kavachSaveShards with sharedTo",
    "POST",
    (url, options) =>
      kavachSaveShards(cid, {
        endpoints: endpointsAt(url),
        ...quick,
        ...owner,
        keyShards,
        shareTo: friend,
        ...options,
      }),
    (node) => ({ address, cid, payload: keyShards[node - 1], sharedTo: [friend.toLowerCase()] }),
    "stops",
  ],
  [
    "kavachShare",
    "PUT",
    (url, options) =>
      kavachShare(cid, { endpoints: endpointsAt(url), ...quick, ...owner, shareTo: [friend, friend], ...options }),
    () => ({ address, cid, shareTo: [friend.toLowerCase()] }),
    "continues",
  ],
  [
    "kavachRevoke",
    "DELETE",
    (url, options) =>
      kavachRevoke(cid, { endpoints: endpointsAt(url), ...quick, ...owner, revokeTo: friend, ...options }),
    () => ({ address, cid, revokeTo: [friend.toLowerCase()] }),
    "continues",
  ],
];

const success: Handler = (_, response) => sendJson(response, { message: "success", data: { at: Math.random() } });
const listCalledNodes = (server: TestServer) => server.requests.map(({ path }) => Number(path.at(-1)));

/** Creates a handler that records at each request how many waits of `ms` milliseconds the client has ended. */
function countWaits(ms: number, handler: Handler): { seenBy: number[]; handler: Handler } {
  const setTimer = globalThis.setTimeout;
  const seenBy: number[] = [];
  let ended = 0;
  const end = (callback: () => void, delay?: number) => () => {
    if (delay === ms) ended++;
    callback();
  };
  const spy = vi
    .spyOn(globalThis, "setTimeout")
    .mockImplementation(((callback: () => void, delay?: number) =>
      setTimer(end(callback, delay), delay)) as typeof setTimeout);
  onTestFinished(() => spy.mockRestore());
  const counting: Handler = (request, response, incoming) => {
    seenBy.push(ended);
    return handler(request, response, incoming);
  };
  return { seenBy, handler: counting };
}

/** Responds with `bad` at one node, up to `times` times. */
function failAt(node: number, bad: Handler, times = Number.POSITIVE_INFINITY): Handler {
  let left = times;
  return (request, response, incoming) => {
    const isBad = request.path.endsWith(`/${node}`) && left-- > 0;
    return (isBad ? bad : success)(request, response, incoming);
  };
}

describe.each(calls)("%s", (_, method, call, body, afterFailure) => {
  test("calls the five nodes one after another, with the owner's token", async () => {
    const server = await createServer(success);
    expect(await call(server.url)).toEqual({ nodes: [1, 2, 3, 4, 5] });
    const sent = server.requests.map((request) => ({
      line: `${request.method} ${request.path}`,
      token: request.headers.authorization,
      body: JSON.parse(request.body.toString()),
    }));
    expect(sent).toEqual(
      [1, 2, 3, 4, 5].map((node) => ({
        line: `${method} /api/setSharedKey/${node}`,
        token: "Bearer jwt:token",
        body: body(node),
      })),
    );
    expect(server.maxConcurrent()).toBe(1);
  });

  test("pauses between two nodes", async () => {
    const { seenBy, handler } = countWaits(43, success);
    await call((await createServer(handler)).url, { pauseMs: 43 });
    expect(seenBy).toEqual([0, 1, 2, 3, 4]);
  });

  test.each([1, 2, 3, 4, 5])(
    `${afterFailure} when node %d refuses, reports its message, and resume() calls the nodes that have not done it`,
    async (node) => {
      const refusal: Handler = (__, response) =>
        sendJson(response, { message: { message: { message: "Access Denied" } } }, 403);
      const server = await createServer(failAt(node, refusal, 1));
      const error = await failure(call(server.url));
      const all = [1, 2, 3, 4, 5];
      const called = afterFailure === "stops" ? all.filter((other) => other <= node) : all;
      const nodesDone = called.filter((other) => other !== node);
      expect(error).toBeInstanceOf(UnfinishedError);
      expect(error).toMatchObject({
        code: "NODE_REFUSED",
        message: "Access Denied",
        details: {
          node,
          nodesDone,
          failures: [{ node, code: "NODE_REFUSED", message: "Access Denied" }],
          status: 403,
          url: `${server.url}/api/setSharedKey/${node}`,
        },
      });
      expect(listCalledNodes(server)).toEqual(called);

      // A pause of a minute: there is none before the first node nor after the last.
      const todo = all.filter((other) => !nodesDone.includes(other));
      const pauseMs = todo.length === 1 ? 60_000 : 0;
      const resumed = await (error as UnfinishedError<CompletedNodes, KeyNodeOptions>).resume({ pauseMs });
      expect(resumed).toEqual({ nodes: all });
      expect(listCalledNodes(server)).toEqual([...called, ...todo]);
    },
  );

  test("resume() that fails again can be resumed", async () => {
    let refusals = 0;
    const server = await createServer((request, response, incoming) => {
      const bad = (request.path.endsWith("/2") && refusals < 2) || (request.path.endsWith("/4") && refusals === 2);
      if (bad) refusals++;
      return (bad ? sendJson(response, { message: "busy" }, 500) : success(request, response, incoming)) as unknown;
    });
    const first = (await failure(call(server.url))) as UnfinishedError<CompletedNodes, KeyNodeOptions>;
    const second = (await failure(first.resume())) as UnfinishedError<CompletedNodes, KeyNodeOptions>;
    const before = listCalledNodes(server).length;
    const done = second.details["nodesDone"] as number[];
    expect(done).toEqual(afterFailure === "stops" ? [1] : [1, 3, 4, 5]);
    const last = afterFailure === "stops" ? await failure(second.resume()) : undefined;
    const resumed = last ? (last as typeof second).resume() : second.resume();
    expect(await resumed).toEqual({ nodes: [1, 2, 3, 4, 5] });
    expect(listCalledNodes(server).slice(before)).toEqual(afterFailure === "stops" ? [2, 3, 4, 4, 5] : [2]);
  });

  test("an abort ends it at once, regardless of earlier failures, and resume() calls the others", async () => {
    const controller = new AbortController();
    const server = await createServer((request, response, incoming) => {
      if (request.path.endsWith("/3")) controller.abort();
      return success(request, response, incoming);
    });
    const error = await failure(call(server.url, { signal: controller.signal }));
    expect(error).toBeInstanceOf(UnfinishedError);
    expect(error).toMatchObject({ code: "ABORTED", details: { nodesDone: [1, 2] } });
    expect(listCalledNodes(server)).toEqual([1, 2, 3]);
    await (error as UnfinishedError<CompletedNodes, KeyNodeOptions>).resume();
    expect(listCalledNodes(server)).toEqual([1, 2, 3, 3, 4, 5]);
  });
});

describe("one request to a node", () => {
  const share = calls[2]?.[2] as Call;
  const reset: Handler = (_, __, incoming) => incoming.socket.resetAndDestroy();
  const failures: [string, Handler, number, string][] = [
    ["a connection that fails is tried 3 times", reset, 3, "NETWORK Network error"],
    [
      "a truncated response is tried 3 times",
      (_, response) => response.writeHead(200, { "Content-Length": 99 }).end("{"),
      3,
      "NETWORK Network error",
    ],
    [
      "a 404 is tried 3 times",
      (_, response) => sendJson(response, { message: "Not Found" }, 404),
      3,
      "NETWORK fetch Error",
    ],
    ["no response is tried 3 times", () => undefined, 3, "TIMEOUT Request timed out"],
    [
      "a refusal is not tried again",
      (_, response) => sendJson(response, { message: "Access Denied" }, 403),
      1,
      "NODE_REFUSED Access Denied",
    ],
    [
      "a refusal with status 200 is not tried again",
      (_, response) => sendJson(response, { message: { message: "Access Denied" } }),
      1,
      "NODE_REFUSED Access Denied",
    ],
    [
      "a response without 'success' is not tried again",
      (_, response) => sendJson(response, {}),
      1,
      'NODE_REFUSED The key node did not respond with "success"',
    ],
    [
      "a 500 is not tried again",
      (_, response) => response.writeHead(500).end(),
      1,
      "HTTP_STATUS Request failed with status code 500",
    ],
    [
      "a page is not tried again",
      (_, response) => response.end("<html></html>"),
      1,
      "INVALID_JSON Invalid JSON response",
    ],
    [
      "a truncated refusal is reported by its status",
      (_, response) => response.writeHead(403).end('{"message": "Acc'),
      1,
      "HTTP_STATUS Request failed with status code 403",
    ],
  ];
  test.each(failures)("%s", async (_, bad, tries, expected) => {
    const server = await createServer(failAt(2, bad));
    const error = await failure(share(server.url, expected.startsWith("TIMEOUT") ? { timeoutMs: 200 } : {}));
    expect(`${error.code} ${error.message}`).toBe(expected);
    expect(listCalledNodes(server)).toEqual([1, ...Array(tries).fill(2), 3, 4, 5]);
  });

  test.each<[string, Handler]>([
    ["connections", reset],
    ["404s", (_, response) => response.writeHead(404).end()],
  ])("%s twice, then success, is a success", async (_, bad) => {
    const server = await createServer(failAt(3, bad, 2));
    expect(await share(server.url)).toEqual({ nodes: [1, 2, 3, 4, 5] });
    expect(listCalledNodes(server)).toEqual([1, 2, 3, 3, 3, 4, 5]);
  });

  test("waits between two tries, and tries as often as `attempts`", async () => {
    const { seenBy, handler } = countWaits(43, failAt(1, reset));
    await failure(share((await createServer(handler)).url, { attempts: 4, retryMs: 43 }));
    // Four tries at the first node, then the other four nodes.
    expect(seenBy).toEqual([0, 1, 2, 3, 3, 3, 3, 3]);
  });

  test.each(["pauseMs", "retryMs", "attempts", "maxInFlight", "timeoutMs"] as const)(
    "refuses %s of -1, 1.5 and a string",
    async (option) => {
      for (const value of [-1, 1.5, "5", Number.NaN]) {
        const error = await failure(share(await findClosedUrl(), { [option]: value }));
        expect(error.code).toBe("INVALID_OPTION");
        expect(error.message).toMatch(new RegExp(`^Invalid option ${option}: expected a whole number from [01] on$`));
      }
    },
  );
});

describe("by default", () => {
  /** Records the delays of all timers that a call sets; those of a second fire at once. */
  async function recordDelays(call: () => Promise<unknown>): Promise<number[]> {
    const delays: number[] = [];
    const real = globalThis.setTimeout;
    const spy = vi.spyOn(globalThis, "setTimeout").mockImplementation(((run: () => void, ms = 0, ...rest: []) => {
      delays.push(ms);
      return real(run, ms === 1_000 ? 0 : ms, ...rest);
    }) as typeof setTimeout);
    try {
      await call().catch(() => undefined);
    } finally {
      spy.mockRestore();
    }
    return delays.filter((ms) => [1_000, 8_000, 7_200_000].includes(ms));
  }

  test("pauses for 1 s between nodes, and limits a request to 8 s", async () => {
    const { url } = await createServer(success);
    const options = { endpoints: endpointsAt(url), ...owner, shareTo: friend };
    const each = [8_000, 1_000];
    expect(await recordDelays(() => kavachShare(cid, options))).toEqual([...each, ...each, ...each, ...each, 8_000]);
  });

  test("tries three times, with waits of 1 s", async () => {
    const options = { endpoints: endpointsAt(await findClosedUrl()), ...owner, keyShards };
    expect(await recordDelays(() => kavachSaveShards(cid, options))).toEqual([8_000, 1_000, 8_000, 1_000, 8_000]);
  });

  test("recovery also pauses for 1 s between two nodes", async () => {
    const { url } = await createServer((_, response) => sendJson(response, { payload: keyShards[0] }));
    const options = { endpoints: endpointsAt(url), ...owner };
    expect(await recordDelays(() => kavachRecoverShards(cid, options))).toEqual([8_000, 1_000, 8_000, 1_000, 8_000]);
  });

  test("limits uploads and downloads to two hours", async () => {
    const { url } = await createServer((_, response) => sendJson(response, { Name: "x", Hash: cid, Size: "1" }));
    const endpoints = endpointsAt(url);
    expect(await recordDelays(() => upload(new Uint8Array(1), { apiKey: "k", endpoints }))).toEqual([7_200_000]);
    expect(await recordDelays(() => download(cid, { verifyCid: false, endpoints }))).toEqual([7_200_000]);
  });
});
