import { getEventListeners } from "node:events";
import { expect } from "vitest";
import { failure } from "./failure.ts";
import type { Gate } from "./gate.ts";
import { createServer, endpointsAt, type Handler, type TestServer } from "./http-server.ts";
import { watchLeaks } from "./leaks.ts";

/** Options of the call to abort. */
export interface AbortOptions {
  signal: AbortSignal;
  endpoints: ReturnType<typeof endpointsAt>;
  timeoutMs: number;
}

/** Longer than any test's time limit: a call that keeps waiting after an abort fails its test. */
const NEVER_MS = 600_000;

/**
 * Starts a call against a server, aborts it once it reaches `stage`, and checks that it rejects with `ABORTED` because
 * of the abort, not because a request times out, and leaks nothing: no connection, timer, listener, temporary file or
 * open file.
 */
export async function abortAt(
  stage: Gate,
  handler: Handler,
  start: (options: AbortOptions) => Promise<unknown>,
  options: { read?: boolean } = {},
): Promise<TestServer> {
  const expectNothingLeft = watchLeaks();
  const server = await createServer(handler, options);
  const controller = new AbortController();
  const { signal } = controller;
  const outcome = failure(start({ signal, endpoints: endpointsAt(server.url), timeoutMs: NEVER_MS }));
  await Promise.race([stage.reached, outcome]);
  const reason = new Error("enough");
  controller.abort(reason);
  const error = await outcome;
  expect(error).toMatchObject({ code: "ABORTED", message: "The operation was aborted" });
  let innermost: unknown = error;
  while (innermost instanceof Error && innermost.cause !== undefined) innermost = innermost.cause;
  expect(innermost).toBe(reason);
  expect(getEventListeners(signal, "abort")).toEqual([]);
  await expect.poll(server.connections, { interval: 5 }).toBe(0);
  await server.close();
  await expectNothingLeft();
  return server;
}
