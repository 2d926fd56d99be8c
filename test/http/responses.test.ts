import { describe, expect, test } from "vitest";
import { createApiKey, download, getAuthMessage, kavachGetAuthMessage, upload } from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { address, opaqueCid as cid } from "../support/fixtures.ts";
import { createServer, endpointsAt, type Handler, sendJson } from "../support/http-server.ts";

type Call = (url: string) => Promise<unknown>;

const calls: Record<string, Call> = {
  getAuthMessage: (url) => getAuthMessage(address, { endpoints: endpointsAt(url) }),
  createApiKey: (url) => createApiKey({ address, signedMessage: "0xabc", endpoints: endpointsAt(url) }),
  upload: (url) => upload(new Uint8Array(10), { apiKey: "key", endpoints: endpointsAt(url) }),
  download: (url) => download(cid, { verifyCid: false, endpoints: endpointsAt(url) }),
  kavachGetAuthMessage: (url) =>
    kavachGetAuthMessage(address, { endpoints: endpointsAt(url), attempts: 1, pauseMs: 0, retryMs: 0 }),
};

/** Runs every call against `handler`, and formats each failure as one line. */
async function formatFailures(handler: Handler): Promise<string[]> {
  const lines: string[] = [];
  for (const [name, call] of Object.entries(calls)) {
    const { url } = await createServer(handler);
    const { code, message, details } = await failure(call(url));
    const { status, serverMessage } = details as { status?: number; serverMessage?: string };
    const rest = [status, serverMessage].filter((part) => part !== undefined);
    lines.push(`${name}: ${code} ${message} (${rest.join(", ")})`.replaceAll(url, "URL"));
  }
  return lines;
}

describe("a refusal becomes one typed error, with the message that the network's clients use", () => {
  test("400 with a JSON message", async () => {
    expect(
      await formatFailures((_, response) => sendJson(response, { message: "no such thing" }, 400)),
    ).toMatchInlineSnapshot(`
      [
        "getAuthMessage: HTTP_STATUS Request failed with status code 400 (400, no such thing)",
        "createApiKey: HTTP_STATUS HTTP error! status: 400 (400, no such thing)",
        "upload: HTTP_STATUS Request failed with status code 400 (400, no such thing)",
        "download: HTTP_STATUS HTTP error! status: 400 (400, no such thing)",
        "kavachGetAuthMessage: NODE_REFUSED no such thing (400)",
      ]
    `);
  });
  test("401 without a body", async () => {
    expect(await formatFailures((_, response) => response.writeHead(401).end())).toMatchInlineSnapshot(`
      [
        "getAuthMessage: HTTP_STATUS Request failed with status code 401 (401)",
        "createApiKey: HTTP_STATUS HTTP error! status: 401 (401)",
        "upload: HTTP_STATUS Request failed with status code 401 (401)",
        "download: HTTP_STATUS HTTP error! status: 401 (401)",
        "kavachGetAuthMessage: HTTP_STATUS Request failed with status code 401 (401)",
      ]
    `);
  });
  test("403 with a nested message", async () => {
    const refusal = { message: { message: { message: "Access Denied" } } };
    expect(await formatFailures((_, response) => sendJson(response, refusal, 403))).toMatchInlineSnapshot(`
      [
        "getAuthMessage: HTTP_STATUS Request failed with status code 403 (403, Access Denied)",
        "createApiKey: HTTP_STATUS HTTP error! status: 403 (403, Access Denied)",
        "upload: HTTP_STATUS Request failed with status code 403 (403, Access Denied)",
        "download: HTTP_STATUS HTTP error! status: 403 (403, Access Denied)",
        "kavachGetAuthMessage: NODE_REFUSED Access Denied (403)",
      ]
    `);
  });
  test("404", async () => {
    expect(await formatFailures((_, response) => response.writeHead(404).end("Not Found"))).toMatchInlineSnapshot(`
      [
        "getAuthMessage: HTTP_STATUS Request failed with status code 404 (404, Not Found)",
        "createApiKey: HTTP_STATUS HTTP error! status: 404 (404, Not Found)",
        "upload: HTTP_STATUS Request failed with status code 404 (404, Not Found)",
        "download: HTTP_STATUS HTTP error! status: 404 (404, Not Found)",
        "kavachGetAuthMessage: NETWORK fetch Error (404)",
      ]
    `);
  });
  test("500 with an HTML page", async () => {
    const page = "<!doctype html><html><title>502 Bad Gateway</title><body><h1>nginx</h1></body></html>";
    expect(await formatFailures((_, response) => response.writeHead(500).end(page))).toMatchInlineSnapshot(`
      [
        "getAuthMessage: HTTP_STATUS Request failed with status code 500 (500, 502 Bad Gateway)",
        "createApiKey: HTTP_STATUS HTTP error! status: 500 (500, 502 Bad Gateway)",
        "upload: HTTP_STATUS Request failed with status code 500 (500, 502 Bad Gateway)",
        "download: HTTP_STATUS HTTP error! status: 500 (500, 502 Bad Gateway)",
        "kavachGetAuthMessage: HTTP_STATUS Request failed with status code 500 (500, 502 Bad Gateway)",
      ]
    `);
  });
  test("500 with truncated JSON", async () => {
    expect(
      await formatFailures((_, response) => response.writeHead(500).end('{"message": "oo')),
    ).toMatchInlineSnapshot(`
      [
        "getAuthMessage: HTTP_STATUS Request failed with status code 500 (500, {"message": "oo)",
        "createApiKey: HTTP_STATUS HTTP error! status: 500 (500, {"message": "oo)",
        "upload: HTTP_STATUS Request failed with status code 500 (500, {"message": "oo)",
        "download: HTTP_STATUS HTTP error! status: 500 (500, {"message": "oo)",
        "kavachGetAuthMessage: HTTP_STATUS Request failed with status code 500 (500, {"message": "oo)",
      ]
    `);
  });
  test("307: a body is not sent a second time", async () => {
    const handler: Handler = ({ method }, response) =>
      void (method === "GET"
        ? response.writeHead(501).end()
        : response.writeHead(307, { Location: "http://127.0.0.1:1/" }).end());
    expect(await formatFailures(handler)).toMatchInlineSnapshot(`
      [
        "getAuthMessage: HTTP_STATUS Request failed with status code 501 (501)",
        "createApiKey: HTTP_STATUS HTTP error! status: 307 (307)",
        "upload: HTTP_STATUS Request failed with status code 307 (307)",
        "download: HTTP_STATUS HTTP error! status: 307 (307)",
        "kavachGetAuthMessage: HTTP_STATUS Request failed with status code 501 (501)",
      ]
    `);
  });
});

describe("a successful response with an invalid body", () => {
  async function formatSuccessFailures(body: string): Promise<string[]> {
    const { download: _, ...others } = calls;
    const lines: string[] = [];
    for (const [name, call] of Object.entries(others)) {
      const { url } = await createServer((__, response) => void response.end(body));
      const { code, message } = await failure(call(url));
      lines.push(`${name}: ${code} ${message}`);
    }
    return lines;
  }
  test("an HTML page", async () => {
    expect(await formatSuccessFailures("<html><title>Welcome</title></html>")).toMatchInlineSnapshot(`
      [
        "getAuthMessage: INVALID_JSON Invalid JSON response",
        "createApiKey: INVALID_JSON Invalid JSON response",
        "upload: INVALID_JSON Invalid JSON response",
        "kavachGetAuthMessage: INVALID_JSON Invalid JSON response",
      ]
    `);
  });
  test("truncated JSON", async () => {
    expect(await formatSuccessFailures('{"Name": "a", "Ha')).toMatchInlineSnapshot(`
      [
        "getAuthMessage: INVALID_JSON Invalid JSON response",
        "createApiKey: INVALID_JSON Invalid JSON response",
        "upload: INVALID_JSON Invalid JSON response",
        "kavachGetAuthMessage: INVALID_JSON Invalid JSON response",
      ]
    `);
  });
  test("an empty body", async () => {
    expect(await formatSuccessFailures("")).toMatchInlineSnapshot(`
      [
        "getAuthMessage: INVALID_JSON Invalid JSON response",
        "createApiKey: INVALID_JSON Invalid JSON response",
        "upload: INVALID_JSON Invalid JSON response",
        "kavachGetAuthMessage: INVALID_JSON Invalid JSON response",
      ]
    `);
  });
  test("JSON of another shape", async () => {
    expect(await formatSuccessFailures('{"unexpected": true}')).toMatchInlineSnapshot(`
      [
        "getAuthMessage: INVALID_RESPONSE The API host sent no message to sign",
        "createApiKey: INVALID_RESPONSE The API host sent no API key",
        "upload: INVALID_RESPONSE The upload node's response names no file",
        "kavachGetAuthMessage: INVALID_RESPONSE The key nodes returned no message to sign",
      ]
    `);
  });
});

describe("details report the Retry-After of a 429 in seconds", () => {
  const inOneHour = () => new Date(Date.now() + 3_600_000).toUTCString();
  test.each<[string, () => string, [min: number, max: number]]>([
    ["in seconds", () => "30", [30, 30]],
    ["as a date", inOneHour, [3_000, 3_600]],
    ["as a past date", () => new Date(0).toUTCString(), [0, 0]],
  ])("%s", async (_, header, [min, max]) => {
    const { url } = await createServer((__, response) => {
      response.writeHead(429, { "Retry-After": header() }).end();
    });
    for (const call of [calls["upload"], calls["getAuthMessage"]]) {
      const error = await failure((call as Call)(url));
      expect(error).toMatchObject({ code: "HTTP_STATUS", message: "Request failed with status code 429" });
      expect(error.details["retryAfterSeconds"]).toBeGreaterThanOrEqual(min);
      expect(error.details["retryAfterSeconds"]).toBeLessThanOrEqual(max);
    }
  });

  test("details omit a malformed one", async () => {
    const { url } = await createServer((_, response) => void response.writeHead(429, { "Retry-After": "soon" }).end());
    const error = await failure((calls["upload"] as Call)(url));
    expect(error.details).not.toHaveProperty("retryAfterSeconds");
  });
});

test("details contain the method, the URL without query and credentials, and the status", async () => {
  const { url } = await createServer((_, response) => void response.writeHead(418).end());
  const withUser = url.replace("//", "//user:secret-password@");
  const error = await failure(getAuthMessage(address, { endpoints: { api: `${withUser}/` } }));
  expect(error.details).toEqual({ method: "GET", url: `${url}/api/auth/get_auth_message`, status: 418 });
});
