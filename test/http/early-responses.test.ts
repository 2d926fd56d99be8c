import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Source, upload } from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { endpointsAt } from "../support/http-server.ts";
import { watchLeaks } from "../support/leaks.ts";

const MIB = 1024 * 1024;
const ROUNDS = 50;
const STATUSES = [401, 403, 413];
/** When the server responds, in milliseconds after the request's headers. */
const TIMINGS = [0, 1, 2, 5, 10];

let server: Worker;
let url: string;

beforeAll(async () => {
  server = new Worker(new URL("refusing-server.mjs", import.meta.url));
  const [port] = await once(server, "message");
  url = `http://127.0.0.1:${port}`;
});

afterAll(() => server.terminate());

async function* yieldChunks(): AsyncGenerator<Uint8Array> {
  for (let sent = 0; sent < 16 * MIB; sent += 64 * 1024) yield new Uint8Array(64 * 1024);
}

const bodies: (() => Source)[] = [
  () => new Uint8Array(16 * MIB),
  () => ({ name: "stream", stream: yieldChunks() }),
  () => ({ name: "sized", size: 16 * MIB, stream: yieldChunks() }),
];

/** Uploads to a server with this behaviour, and returns the error. */
const sendTo = (round: number, ...behaviour: (string | number)[]) =>
  failure(
    upload((bodies[round % bodies.length] as () => Source)(), {
      apiKey: behaviour.join("/"),
      endpoints: endpointsAt(url),
    }),
  );

test.each(["end", "destroy", "reset", "reset-later"])(
  `a refusal in the middle of a body is reported in ${ROUNDS} of ${ROUNDS} rounds, though the connection breaks: %s`,
  { timeout: 60_000 },
  async (ending) => {
    const expectNothingLeft = watchLeaks();
    const outcomes: Record<string, number> = {};
    for (let round = 0; round < ROUNDS; round++) {
      const status = STATUSES[round % STATUSES.length] ?? 0;
      const delay = TIMINGS[round % TIMINGS.length] ?? 0;
      const error = await sendTo(round, status, ending, delay, round % 2 ? "reads" : "waits");
      const right = error.details["status"] === status && error.details["serverMessage"] === "Not like this";
      const outcome = right ? "the refusal" : `${error.code} ${error.cause}`;
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      expect(error.details).not.toHaveProperty("bodySent");
    }
    expect(outcomes).toEqual({ "the refusal": ROUNDS });
    await expectNothingLeft();
  },
);

test("a connection that breaks in the middle of a body without a response is a 'Network error'", async () => {
  const expectNothingLeft = watchLeaks();
  for (let round = 0; round < 20; round++) {
    const ending = round % 2 ? "destroy" : "reset";
    const error = await sendTo(round, "silent", ending, TIMINGS[round % TIMINGS.length] ?? 0, "waits");
    expect(error).toMatchObject({ code: "NETWORK", message: "Network error" });
  }
  await expectNothingLeft();
});
