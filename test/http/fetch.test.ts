import { expect, test } from "vitest";
import { sendByFetch } from "../../src/platform/browser/fetch.ts";
import type { StackRequest } from "../../src/platform/types.ts";
import { createServer, sendJson } from "../support/http-server.ts";

// What pages send JSON by, and runtimes without XMLHttpRequest everything, here on Node's fetch; test/browser has a
// service worker.

function requestTo(url: string, more: Partial<StackRequest> = {}): StackRequest {
  return {
    method: "POST",
    url,
    headers: { Authorization: "Bearer key" },
    signal: new AbortController().signal,
    once: true,
    watch: { expect() {}, rest() {} },
    facts: { method: "POST", url },
    ...more,
  };
}

function form(onSent?: (bytes: number) => void): Pick<StackRequest, "body"> {
  const data = new FormData();
  data.append("file", new Blob(["x".repeat(1000)]), "a.txt");
  return { body: { data, headers: {}, onSent } };
}

test("a request has the runtime's own user agent: browsers may ask a service first whether it accepts another", async () => {
  const { url, requests } = await createServer((_, response) => sendJson(response, {}));
  await sendByFetch(requestTo(url));
  expect(requests[0]?.headers).toMatchObject({ authorization: "Bearer key", "user-agent": "node" });
});

test("a redirect is followed, body and all", async () => {
  const { url, requests } = await createServer(({ path }, response) =>
    path === "/new" ? sendJson(response, {}) : response.writeHead(307, { Location: "/new" }).end(),
  );
  const { status, chunks } = await sendByFetch(requestTo(`${url}/old`, form()));
  expect([status, await new Response(chunks as ReadableStream).text()]).toEqual([200, "{}"]);
  expect(requests.map(({ path, body }) => [path, body.toString().includes("x".repeat(1000))])).toEqual([
    ["/old", true],
    ["/new", true],
  ]);
});

test.each<[string, (url: string) => string]>([
  ["answered", (url) => url],
  ["lost", () => "http://127.0.0.1:1"],
])("at the end of a request that was %s, all of its body may have been sent", async (_, to) => {
  const { url } = await createServer((__, response) => sendJson(response, {}, 500));
  const reported: number[] = [];
  await sendByFetch(
    requestTo(
      to(url),
      form((bytes) => void reported.push(bytes)),
    ),
  ).catch(() => undefined);
  expect(reported).toEqual([1001]);
});
