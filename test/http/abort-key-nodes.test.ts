import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import {
  createApiKey,
  decrypt,
  kavachRecoverShards,
  kavachRevoke,
  kavachSaveShards,
  kavachShare,
  type Signer,
  uploadEncrypted,
} from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { address, cid, hostMessage, keyShards, nodeMessage, owner } from "../support/fixtures.ts";
import { createGate, type Gate } from "../support/gate.ts";
import { createServer, endpointsAt, type Handler, sendJson } from "../support/http-server.ts";
import { type AbortOptions, abortAt } from "../support/net-abort.ts";
import { toStoredRows } from "../support/stored-rows.ts";

const ONE_HOUR = 3_600_000;

type Options = Omit<AbortOptions, "timeoutMs">;
type Pace = { pauseMs?: number; retryMs?: number; maxInFlight?: number };

const nodeCalls: [string, (options: Options, pace: Pace) => Promise<unknown>][] = [
  ["kavachSaveShards", (options, pace) => kavachSaveShards(cid, { ...options, ...owner, ...pace, keyShards })],
  ["kavachShare", (options, pace) => kavachShare(cid, { ...options, ...owner, ...pace, shareTo: address })],
  ["kavachRevoke", (options, pace) => kavachRevoke(cid, { ...options, ...owner, ...pace, revokeTo: address })],
  ["kavachRecoverShards", (options, pace) => kavachRecoverShards(cid, { ...options, ...owner, ...pace })],
  ["decrypt", (options, pace) => decrypt(cid, { ...options, ...owner, ...pace })],
  [
    "uploadEncrypted",
    (options, pace) => uploadEncrypted(new Uint8Array(1), { apiKey: "k", ...options, ...owner, ...pace }),
  ],
];

/** Serves uploads, and passes all other requests to `keyNode`. */
const network =
  (keyNode: Handler): Handler =>
  async (request, response, incoming) =>
    request.path === "/api/v0/add"
      ? sendJson(response, await toStoredRows(request))
      : keyNode(request, response, incoming);

const success = { message: "success", payload: keyShards[0] };

/** Reaches `stage` shortly after the client has received this response. */
function reachAfterResponse(response: Parameters<Handler>[1], stage: Gate): void {
  response.once("close", () => setTimeout(stage.reach, 20));
}

describe.each(nodeCalls)("%s", (_, call) => {
  test("during the pause between two nodes", async () => {
    const stage = createGate();
    const handler = network((__, response) => {
      reachAfterResponse(response, stage);
      sendJson(response, success);
    });
    const server = await abortAt(stage, handler, (options) => call(options, { pauseMs: ONE_HOUR }));
    expect(server.requests.filter(({ path }) => !path.startsWith("/api/v0/"))).toHaveLength(1);
  });

  test("during the wait before a retry", async () => {
    const stage = createGate();
    const handler = network((__, response, incoming) => {
      reachAfterResponse(response, stage);
      incoming.socket.resetAndDestroy();
    });
    const server = await abortAt(stage, handler, (options) => call(options, { retryMs: ONE_HOUR }));
    expect(server.requests.filter(({ path }) => !path.startsWith("/api/v0/"))).toHaveLength(1);
  });

  test("during a request to a node", async () => {
    const stage = createGate();
    await abortAt(
      stage,
      network(() => stage.reach()),
      (options) => call(options, {}),
    );
  });
});

test("while many files are queued", async () => {
  const stage = createGate();
  const files = Array.from({ length: 10 }, (_, at) => new File(["x"], `${at}.txt`));
  const handler = network(() => stage.reach());
  const server = await abortAt(stage, handler, (options) =>
    uploadEncrypted(files, { ...options, ...owner, apiKey: "k", maxInFlight: 1 }),
  );
  expect(server.requests.filter(({ path }) => !path.startsWith("/api/v0/"))).toHaveLength(1);
});

describe("while a wallet's window is open", () => {
  const message: Handler = ({ path }, response) =>
    sendJson(response, path.startsWith("/api/message/") ? [{ message: nodeMessage }] : hostMessage);
  const never = () => new Promise<never>(() => undefined);

  /** Creates a wallet whose window opens on `method` and stays open. */
  function createHangingSigner(method: keyof Signer, stage: Gate): Signer {
    const window = () => {
      stage.reach();
      return never();
    };
    return { getAddress: () => address, signMessage: async () => "0xabc", [method]: window };
  }

  const calls: [string, (options: Options, signer: Signer) => Promise<unknown>][] = [
    ["uploadEncrypted", (options, signer) => uploadEncrypted(new Uint8Array(1), { ...options, apiKey: "k", signer })],
    ["decrypt", (options, signer) => decrypt(cid, { ...options, signer })],
    ["kavachShare", (options, signer) => kavachShare(cid, { ...options, signer, shareTo: address })],
    ["createApiKey", (options, signer) => createApiKey({ ...options, signer })],
  ];

  describe.each(calls)("%s", (_, call) => {
    test.each(["getAddress", "signMessage"] as const)("for %s", async (method) => {
      const stage = createGate();
      await abortAt(stage, message, (options) => call(options, createHangingSigner(method, stage)));
    });

    test("and the signal fires while it opens", async () => {
      const server = await createServer(message);
      const controller = new AbortController();
      const signMessage = () => {
        controller.abort();
        return never();
      };
      const { signal } = controller;
      const options = { signal, endpoints: endpointsAt(server.url) };
      const error = await failure(call(options, { getAddress: () => address, signMessage }));
      expect(error.code).toBe("ABORTED");
      expect(getEventListeners(signal, "abort")).toEqual([]);
    });
  });

  test("while it waits for another call's sign-in", async () => {
    const stage = createGate();
    const signer = createHangingSigner("signMessage", stage);
    const first = new AbortController();
    let others: Promise<unknown> | undefined;
    await abortAt(stage, message, (options) => {
      others = failure(kavachShare(cid, { ...options, signal: first.signal, signer, shareTo: address }));
      return kavachShare(cid, { ...options, signer, shareTo: address });
    });
    first.abort();
    expect(await others).toMatchObject({ code: "ABORTED" });
  });
});
