import { expect, test } from "vitest";
import { adapter } from "../../src/http/axios/fetch.ts";
import { exchangeByFetch } from "../../src/http/axios/fetch-exchange.ts";
import { createServer, sendJson } from "../support/http-server.ts";

// What runtimes without XMLHttpRequest exchange by, here on Node's fetch; test/browser has a service worker.

function request(url: string) {
  return {
    method: "POST",
    url,
    headers: { Authorization: "Bearer key" },
    signal: new AbortController().signal,
    responseType: "text" as const,
    validateStatus: () => true,
    maxRedirects: 0,
    maxBodyLength: -1,
    maxContentLength: 1000,
  };
}

function form(): FormData {
  const data = new FormData();
  data.append("file", new Blob(["x".repeat(1000)]), "a.txt");
  return data;
}

test("a request goes under the runtime's own name: browsers may ask a service first whether it takes another", async () => {
  const { url, requests } = await createServer((_, response) => sendJson(response, {}));
  await adapter(request(url));
  expect(requests[0]?.headers).toMatchObject({ authorization: "Bearer key", "user-agent": "node" });
});

test("a redirect is followed, body and all", async () => {
  const { url, requests } = await createServer(({ path }, response) =>
    path === "/new" ? sendJson(response, {}) : response.writeHead(307, { Location: "/new" }).end(),
  );
  expect(await exchangeByFetch({ ...request(`${url}/old`), data: form() })).toMatchObject({ status: 200, data: "{}" });
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
  const told: number[] = [];
  const onUploadProgress = ({ loaded }: { loaded: number }) => void told.push(loaded);
  await exchangeByFetch({ ...request(to(url)), data: form(), onUploadProgress }).catch(() => undefined);
  expect(told).toEqual([1001]);
});
