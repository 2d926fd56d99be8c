import { expect, onTestFinished, test, vi } from "vitest";
import { sendByFetch } from "../../src/platform/browser/http-stack.ts";
import type { RequestBody, StackRequest } from "../../src/platform/types.ts";
import { createServer, sendJson } from "../support/http-server.ts";

// The fetch stack sends JSON in pages, and everything in runtimes without XMLHttpRequest. These tests run it on Node's
// fetch; test/browser runs it in a service worker.

function createRequest(url: string, overrides: Partial<StackRequest> = {}): StackRequest {
  return {
    method: "POST",
    url,
    headers: { Authorization: "Bearer key" },
    signal: new AbortController().signal,
    once: true,
    cache: "any",
    maxBytes: undefined,
    watch: { expect() {}, rest() {} },
    facts: { method: "POST", url },
    ...overrides,
  };
}

function createForm(listeners: Partial<RequestBody> = {}): Pick<StackRequest, "body"> {
  const data = new FormData();
  data.append("file", new Blob(["x".repeat(1000)]), "a.txt");
  return { body: { data, headers: {}, ...listeners } };
}

test("a request has the runtime's own user agent: another one may cost a CORS preflight", async () => {
  const { url, requests } = await createServer((_, response) => sendJson(response, {}));
  await sendByFetch(createRequest(url));
  expect(requests[0]?.headers).toMatchObject({ authorization: "Bearer key", "user-agent": "node" });
});

test.each([
  ["any", "default"],
  ["reload", "reload"],
  ["none", "no-store"],
] as const)("what may be cached is left to the browser as %s", async (cache, mode) => {
  const { url } = await createServer((_, response) => sendJson(response, {}));
  const fetched = vi.spyOn(globalThis, "fetch");
  onTestFinished(() => fetched.mockRestore());
  await sendByFetch(createRequest(url, { cache }));
  expect(fetched.mock.calls[0]?.[1]).toMatchObject({ cache: mode });
});

test("a redirect is followed, with the body", async () => {
  const { url, requests } = await createServer(({ path }, response) =>
    path === "/new" ? sendJson(response, {}) : response.writeHead(307, { Location: "/new" }).end(),
  );
  const { status, chunks } = await sendByFetch(createRequest(`${url}/old`, createForm()));
  expect([status, await new Response(chunks as ReadableStream).text()]).toEqual([200, "{}"]);
  expect(requests.map(({ path, body }) => [path, body.toString().includes("x".repeat(1000))])).toEqual([
    ["/old", true],
    ["/new", true],
  ]);
});

test.each<[string, (url: string) => string, unknown[]]>([
  ["successful", (url) => url, ["handed over", 1001]],
  ["lost", () => "http://127.0.0.1:1", ["handed over"]],
])("a %s request hands its body over, which counts as sent once the response begins", async (_, to, expected) => {
  const { url } = await createServer((__, response) => sendJson(response, {}, 500));
  const reported: unknown[] = [];
  const form = createForm({
    onHandOver: () => void reported.push("handed over"),
    onSent: (bytes) => void reported.push(bytes),
  });
  await sendByFetch(createRequest(to(url), form)).catch(() => undefined);
  expect(reported).toEqual(expected);
});
