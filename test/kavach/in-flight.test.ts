import { describe, expect, test } from "vitest";
import { createSemaphore } from "../../src/base/async/queue.ts";
import { type Progress, type UnfinishedUpload, uploadEncrypted } from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { owner } from "../support/fixtures.ts";
import { createServer, endpointsAt, type Handler, sendJson, type TestServer } from "../support/http-server.ts";
import { pacings } from "../support/pacings.ts";
import { toStoredRows } from "../support/stored-rows.ts";

const createFiles = (count: number) => Array.from({ length: count }, (_, at) => new File(["x"], `${at}.txt`));
const isUpload = (path: string) => path === "/api/v0/add";
const nodeRequests = ({ requests }: TestServer) => requests.filter(({ path }) => !isUpload(path)).length;

/** Creates a handler for an upload node, and for key nodes that `keyNode` handles. */
function createNetwork(keyNode: Handler): Handler {
  return async (request, response, incoming) =>
    isUpload(request.path) ? sendJson(response, await toStoredRows(request)) : keyNode(request, response, incoming);
}

/** Delays the first requests until `limit` of them wait, and then long enough for one too many to arrive. */
function holdUntilFull(limit: number): Handler {
  const held: (() => void)[] = [];
  let full = false;
  return (_, response) => {
    const respond = () => sendJson(response, { message: "success" });
    if (full) return respond();
    held.push(respond);
    if (held.length < limit) return;
    setTimeout(() => {
      full = true;
      for (const release of held) release();
    }, 50);
  };
}

describe.each(pacings)("pacing: %s", (pacing) => {
  /** A file has a request to one node in flight, or to each. */
  const perFile = pacing === "parallel" ? 5 : 1;

  test.each([
    [70 / perFile, undefined, 64],
    [10, 3, 3],
    [3, 64, 3 * perFile],
  ])("of %d files with maxInFlight %s, %d requests are in flight at once", async (count, maxInFlight, most) => {
    const server = await createServer(createNetwork(holdUntilFull(most)));
    const options = { apiKey: "key", ...owner, pacing, pauseMs: 0, maxInFlight, endpoints: endpointsAt(server.url) };
    const stored = await uploadEncrypted(createFiles(count), options);
    expect(stored).toHaveLength(count);
    expect(server.maxConcurrent()).toBe(most);
    expect(nodeRequests(server)).toBe(count * 5);
  });

  test("after a node refuses one file, no shard of any other file is sent, not even of queued files", async () => {
    const refusal: Handler = (_, response) => sendJson(response, { message: "Access Denied" }, 403);
    let refuses = true;
    const server = await createServer(
      createNetwork((request, response, incoming) =>
        refuses ? refusal(request, response, incoming) : sendJson(response, { message: "success" }),
      ),
    );
    const options = { apiKey: "key", ...owner, pacing, pauseMs: 0, maxInFlight: 2, endpoints: endpointsAt(server.url) };
    const error = (await failure(uploadEncrypted(createFiles(10), options))) as UnfinishedUpload;
    expect(error).toMatchObject({ code: "SHARDS_NOT_SAVED" });
    expect(error.details["node"]).toBeLessThanOrEqual(pacing === "parallel" ? 2 : 1);
    // Those that had their turn when the first response arrived.
    expect(nodeRequests(server)).toBeLessThanOrEqual(4);
    expect(error.details["unfinished"]).toHaveLength(10);
    refuses = false;
    const before = nodeRequests(server);
    expect(await error.resume()).toHaveLength(10);
    expect(nodeRequests(server) - before).toBe(50);
  });

  // At the next ones, all others may be in flight: nothing is left to do then.
  test.each(pacing === "parallel" ? [1, 5, 10] : [1, 5, 10, 16])(
    "a listener that throws at shard %d ends the call once no request is in flight, and the error lists every saved shard",
    async (at) => {
      const saved: string[] = [];
      const server = await createServer(
        createNetwork((request, response) => {
          saved.push(`${request.path} ${JSON.parse(request.body.toString()).payload.key}`);
          setImmediate(() => sendJson(response, { message: "success" }));
        }),
      );
      const options = {
        apiKey: "key",
        ...owner,
        pacing,
        pauseMs: 0,
        maxInFlight: 4,
        endpoints: endpointsAt(server.url),
      };
      let calls = 0;
      const onProgress = ({ phase, loaded }: Progress) => {
        if (phase !== "saving-keys") return;
        calls++;
        if (loaded >= at) throw new Error("the bar is gone");
      };
      const error = (await failure(uploadEncrypted(createFiles(4), { ...options, onProgress }))) as UnfinishedUpload;
      expect(error).toMatchObject({ code: "SHARDS_NOT_SAVED", cause: { message: "the bar is gone" } });
      const before = nodeRequests(server);
      const unfinished = error.details["unfinished"] as { nodesDone: number[] }[];
      const done = unfinished.reduce((sum, { nodesDone }) => sum + nodesDone.length, (4 - unfinished.length) * 5);
      expect(done).toBe(saved.length);

      const callsBefore = calls;
      await error.resume({ onProgress: undefined });
      expect(calls).toBe(callsBefore);
      expect(nodeRequests(server) - before).toBe(20 - done);
      expect(new Set(saved).size).toBe(20);
    },
  );

  test("a listener that throws at the very last shard loses nothing: the upload has succeeded", async () => {
    const server = await createServer(createNetwork((_, response) => sendJson(response, { message: "success" })));
    const options = { apiKey: "key", ...owner, pacing, pauseMs: 0, endpoints: endpointsAt(server.url) };
    const onProgress = ({ phase, loaded, total }: Progress) => {
      if (phase === "saving-keys" && loaded === total) throw new Error("the bar is gone");
    };
    expect(await uploadEncrypted(createFiles(2), { ...options, onProgress })).toHaveLength(2);
  });
});

test("a task that is aborted while it waits takes no place, nor the turn of the next one", async () => {
  const semaphore = createSemaphore(1);
  const started: string[] = [];
  const run = (name: string, signal?: AbortSignal, until?: Promise<void>) => {
    const task = async () => {
      started.push(name);
      await until;
    };
    return semaphore(task, signal);
  };
  let endFirst = (): void => undefined;
  const first = run("first", undefined, new Promise((resolve) => (endFirst = resolve)));
  const controller = new AbortController();
  const aborted = run("aborted", controller.signal);
  const third = run("third");
  controller.abort();
  expect(await failure(aborted)).toMatchObject({ code: "ABORTED" });
  endFirst();
  await Promise.all([first, third, run("last")]);
  expect(started).toEqual(["first", "third", "last"]);
});
