import { inspect } from "node:util";
import { HttpResponse, http, type JsonBodyType } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { createKit, type KeeplightError } from "../../src/index.ts";
import { failure as catchError } from "../support/failure.ts";
import { calls } from "./calls.ts";
import { failures, type Outcome, profiles } from "./failures.ts";
import { normalizeForms, recordRequest } from "./recorded.ts";
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

/** Responds to every request, and records them. */
function serve(respond: (request: Wire) => Response | Promise<Response>): Wire[] {
  const sent: Wire[] = [];
  server.use(
    http.all("*", async ({ request }) => {
      const wire = await recordRequest(request);
      sent.push(wire);
      return respond(wire);
    }),
  );
  return sent;
}

const kit = createKit({ endpoints, pauseMs: 0, retryMs: 0 });

test("every call of the network has a row", () => {
  const covered = new Set(rows.map(({ endpoint }) => endpoint));
  expect([...covered].sort()).toEqual([...calls].sort());
});

for (const row of rows) {
  describe(`${row.endpoint}: ${row.name}`, () => {
    test("sends the exact requests and returns the result", async () => {
      const { response } = row;
      const sent = serve(async (wire) =>
        HttpResponse.json((typeof response === "function" ? await response(wire) : response) as JsonBodyType),
      );
      expect(await row.call(kit)).toEqual(row.result);
      const expected = typeof row.requests === "function" ? await row.requests(sent) : row.requests;
      expect(normalizeForms(expected, sent)).toEqual(expected);
    });

    for (const failure of failures) {
      const outcome = profiles[row.profile](failure, row);
      if (!outcome) continue;
      test(`reports ${failure.name}`, async () => {
        if (failure.kind === "silence") installTestClock();
        const sent = serve(failure.respond);
        assertOutcome(await catchError(row.call(kit)), outcome);
        expect(sent).toHaveLength(outcome.requests ?? 1);
      });
    }
  });
}

/** Lets the tests advance timers; time also advances at its real speed. */
function installTestClock(): void {
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
