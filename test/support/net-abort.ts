import { getEventListeners } from "node:events";
import { stat } from "node:fs/promises";
import { expect } from "vitest";
import { failure } from "./failure.ts";
import type { Gate } from "./gate.ts";
import { createServer, endpointsAt, type Handler, type TestServer } from "./http-server.ts";
import { watchLeaks } from "./leaks.ts";

/** An aborted call ends within this many milliseconds, on a machine that has time for it. */
const ABORT_MS = 100;

/** How long this machine takes at the moment for next to nothing, in milliseconds. */
async function yardstick(): Promise<number> {
  const started = performance.now();
  for (let step = 0; step < 4; step++) await stat(".");
  return performance.now() - started;
}

/**
 * Starts a call against a server, aborts it once it is at `stage`, and checks that it rejects in time with
 * `ABORTED` and leaves nothing behind: no connection, timer, listener, temporary file or open file.
 */
export async function abortAt(
  stage: Gate,
  handler: Handler,
  start: (options: { signal: AbortSignal; endpoints: ReturnType<typeof endpointsAt> }) => Promise<unknown>,
  options: { read?: boolean } = {},
): Promise<TestServer> {
  const expectNothingLeft = watchLeaks();
  const server = await createServer(handler, options);
  const controller = new AbortController();
  const { signal } = controller;
  const outcome = failure(start({ signal, endpoints: endpointsAt(server.url) }));
  await Promise.race([stage.reached, outcome]);
  const reason = new Error("enough");
  const aborted = performance.now();
  controller.abort(reason);
  const busy = yardstick();
  const error = await outcome;
  const took = performance.now() - aborted;
  expect(took - (await busy)).toBeLessThan(ABORT_MS);
  expect(error).toMatchObject({ code: "ABORTED", message: "The operation was aborted" });
  let innermost: unknown = error;
  while (innermost instanceof Error && innermost.cause !== undefined) innermost = innermost.cause;
  expect(innermost).toBe(reason);
  expect(getEventListeners(signal, "abort")).toEqual([]);
  await expect.poll(server.connections, { interval: 5, timeout: 5_000 }).toBe(0);
  await server.close();
  await expectNothingLeft();
  return server;
}
