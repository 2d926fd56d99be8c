import { getEventListeners } from "node:events";
import { expect } from "vitest";
import { failure } from "./failure.ts";
import type { Gate } from "./gate.ts";
import { createServer, endpointsAt, type Handler, type TestServer } from "./http-server.ts";
import { watchLeaks } from "./leaks.ts";

/** Options of a call that is to be aborted. */
export interface AbortOptions {
  signal: AbortSignal;
  endpoints: ReturnType<typeof endpointsAt>;
  timeoutMs: number;
}

/** Later than any test's own time limit: whatever waits for this long after an abort fails its test. */
const NEVER_MS = 600_000;

/**
 * Starts a call against a server, aborts it once it is at `stage`, and checks that it rejects with `ABORTED` because of
 * that, not when a request times out, and leaves nothing behind: no connection, timer, listener, temporary file or
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
