import { inspect } from "node:util";
import { HttpResponse, http, type JsonBodyType } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { createKit, type KeeplightError } from "../../src/index.ts";
import { failure as failureOf } from "../support/failure.ts";
import { calls } from "./calls.ts";
import { failures, type Outcome, profiles } from "./failures.ts";
import { inTermsOf, recorded } from "./recorded.ts";
import { endpoints, secrets, type Wire } from "./row.ts";
import { apiHost } from "./rows/api-host.ts";
import { fileRows } from "./rows/files.ts";
import { keyNodeRows } from "./rows/key-nodes.ts";

const rows = [...apiHost, ...keyNodeRows, ...fileRows];

const server = setupServer();
beforeAll(() => server.listen({ onUnhandledRequest: "error" }));
afterEach(() => {
  server.resetHandlers();
  vi.useRealTimers();
});
afterAll(() => server.close());

/** Answers every request, and keeps what came in. */
function serve(respond: (request: Wire) => Response | Promise<Response>): Wire[] {
  const sent: Wire[] = [];
  server.use(
    http.all("*", async ({ request }) => {
      const wire = await recorded(request);
      sent.push(wire);
      return respond(wire);
    }),
  );
  return sent;
}

const kit = createKit({ endpoints, pauseMs: 0, retryMs: 0 });

test("every call of the network has a row", () => {
  const covered = new Set(rows.map(({ of }) => of));
  expect([...covered].sort()).toEqual([...calls].sort());
});

for (const row of rows) {
  describe(`${row.of}: ${row.name}`, () => {
    test("is sent to the letter, and its answer is given", async () => {
      const { answers } = row;
      const sent = serve(async (wire) =>
        HttpResponse.json((typeof answers === "function" ? await answers(wire) : answers) as JsonBodyType),
      );
      expect(await row.call(kit)).toEqual(row.gives);
      const expected = typeof row.sends === "function" ? await row.sends(sent) : row.sends;
      expect(inTermsOf(expected, sent)).toEqual(expected);
    });

    for (const failure of failures) {
      const outcome = profiles[row.failsLike](failure, row);
      if (!outcome) continue;
      test(`fails by ${failure.name}`, async () => {
        if (failure.kind === "silence") stopClock();
        const sent = serve(failure.respond);
        assertOutcome(await failureOf(row.call(kit)), outcome);
        expect(sent).toHaveLength(outcome.requests ?? 1);
      });
    }
  });
}

/** Time goes on by itself only as slowly as it really does. */
function stopClock(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"], shouldAdvanceTime: true });
}

function assertOutcome(error: KeeplightError, { code, message, details = {} }: Outcome): void {
  expect(error.code).toBe(code);
  if (typeof message === "string") expect(error.message).toBe(message);
  else expect(error.message).toMatch(message);
  expect(error.details).toMatchObject(details);
  const shown = `${inspect(error, { depth: 10 })}${JSON.stringify(error)}`;
  expect(secrets.filter((secret) => shown.includes(secret))).toEqual([]);
}
