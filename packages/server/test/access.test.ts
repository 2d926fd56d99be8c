import { inspect } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { KeeplightError } from "../../../src/base/errors/base.ts";
import { upload } from "../../../src/index.ts";
import { failure } from "../../../test/support/failure.ts";
import { createServer, endpointsAt, sendJson } from "../../../test/support/http-server.ts";
import { createUploadHandler, type UploadHandlerOptions } from "../src/index.ts";
import { serveUploads } from "./endpoint.ts";
import { BOUNDARY, END, filePart } from "./raw-client.ts";

const stored = { Name: "x", Hash: "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e", Size: "1" };
const HOST = "app.example";

async function createHandler(options: Partial<UploadHandlerOptions> = {}) {
  const node = await createServer((_, response) => sendJson(response, stored));
  const errors: unknown[] = [];
  const handle = createUploadHandler({
    apiKey: "key-7f3a9c1e5b20d864",
    authorize: () => true,
    endpoints: endpointsAt(node.url),
    onError: (error) => void errors.push(error),
    ...options,
  });
  const post = (headers: Record<string, string> = {}, method = "POST", body = filePart("a") + END) =>
    handle(
      new Request(`http://${HOST}/api/upload`, {
        method,
        headers: { "Content-Type": `multipart/form-data; boundary=${BOUNDARY}`, ...headers },
        ...(method === "POST" ? { body } : {}),
      }),
    );
  return { handle, post, node, errors };
}

describe("authorize", () => {
  test.each([[false], [undefined], [null]])("refuses with %s", async (decision) => {
    const { post, node } = await createHandler({ authorize: () => decision as boolean });
    const response = await post();
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ error: { code: "UPLOAD_REFUSED", details: { reason: "access" } } });
    expect(node.requests).toEqual([]);
  });

  test("sees the request, and may refuse with a response of its own", async () => {
    const authorize = (request: Request) =>
      request.headers.get("cookie") === "session=1" || new Response("Sign in", { status: 401 });
    const { post } = await createHandler({ authorize });
    expect((await post({ cookie: "session=1" })).status).toBe(200);
    const refused = await post();
    expect([refused.status, await refused.text()]).toEqual([401, "Sign in"]);
  });

  test("a page learns of that response", async () => {
    const { url } = await serveUploads({ authorize: () => Response.json({ message: "Sign in" }, { status: 401 }) });
    const error = await failure(upload(new Blob(["x"]), { via: url }));
    expect(error).toMatchObject({ code: "HTTP_STATUS", details: { status: 401, serverMessage: "Sign in" } });
  });

  test("may return limits of one user, which replace those of the handler one by one", async () => {
    const authorize = (request: Request) => (request.headers.has("x-paid") ? { maxBytes: 100 } : true);
    const { post } = await createHandler({ authorize, limits: { maxBytes: 10, maxFiles: 1 } });
    const body = filePart("a", "12345678901") + END;
    expect((await post({}, "POST", body)).status).toBe(413);
    expect((await post({ "x-paid": "1" }, "POST", body)).status).toBe(200);
    expect((await post({ "x-paid": "1" }, "POST", filePart("a") + filePart("b") + END)).status).toBe(413);
  });

  const sentBefore = new Response("Sign in");
  void sentBefore.text();
  const wrong: [string, UploadHandlerOptions["authorize"]][] = [
    ["throws", () => Promise.reject(new Error("db-password-1234"))],
    [
      "throws at once",
      () => {
        throw new Error("db-password-1234");
      },
    ],
    ["returns a user", () => ({ id: 5, name: "db-password-1234" }) as never],
    ["returns a number", () => 1 as never],
    ["returns an empty session", () => ({})],
    ["returns limits that are none", () => ({ maxBytes: -1 })],
    ["returns a limit that it does not know", () => ({ maxBytes: undefined })],
    [
      "throws an error of the network",
      () =>
        Promise.reject(
          new KeeplightError("UPLOAD_REFUSED", "db-password-1234", { details: { reason: "count" } } as never),
        ),
    ],
    ["returns a failed response", () => Response.error()],
    ["returns a response that was sent before", () => sentBefore],
    ["reads the body", async (request) => (await request.text()) !== ""],
    ["opens the body", (request) => request.body?.getReader() !== undefined],
  ];
  test.each(wrong)("that %s refuses, and the page learns nothing of it", async (_, authorize) => {
    const { post, node, errors } = await createHandler({ authorize });
    const response = await post();
    const text = await response.text();
    expect(response.status).toBe(500);
    expect(text).toBe('{"error":{"message":"Internal Server Error"}}');
    expect(errors).toHaveLength(1);
    expect(node.requests).toEqual([]);
  });
});

describe("pages of other origins", () => {
  const sites: [Record<string, string>, number][] = [
    [{}, 200],
    [{ "sec-fetch-site": "same-origin", origin: "https://app.example" }, 200],
    [{ "sec-fetch-site": "none" }, 200],
    [{ "sec-fetch-site": "cross-site", origin: "https://evil.example" }, 403],
    [{ "sec-fetch-site": "same-site", origin: "https://other.app.example" }, 403],
    [{ "sec-fetch-site": "cross-site" }, 403],
    [{ origin: "http://app.example" }, 200],
    [{ origin: "https://app.example" }, 200],
    [{ origin: "http://evil.example" }, 403],
    [{ origin: "http://app.example:81" }, 403],
    [{ origin: "null" }, 403],
    [{ origin: "http://app.example.evil.example" }, 403],
  ];
  test.each(sites)("a request with %o gets %i", async (headers, status) => {
    let asked = 0;
    const { post } = await createHandler({ authorize: () => ++asked > 0 });
    const response = await post(headers);
    expect(response.status).toBe(status);
    expect(asked).toBe(status === 200 ? 1 : 0);
    expect(response.headers.get("access-control-allow-origin")).toBeNull();
  });

  test("may upload if their origin is allowed, and read every response", async () => {
    const allowedOrigins = ["https://app.other"];
    const { post, handle } = await createHandler({ allowedOrigins, authorize: ({ headers }) => headers.has("x-user") });
    const origin = { origin: "https://app.other", "sec-fetch-site": "cross-site" };
    for (const [headers, status] of [
      [{ ...origin, "x-user": "1" }, 200],
      [origin, 403],
    ] as const) {
      const response = await post(headers);
      expect(response.status).toBe(status);
      expect(response.headers.get("access-control-allow-origin")).toBe("https://app.other");
      expect(response.headers.get("access-control-allow-credentials")).toBeNull();
      expect(response.headers.get("vary")).toBe("Origin");
    }
    expect((await post({ origin: "https://evil.example", "x-user": "1" })).status).toBe(403);
    const preflight = await handle(new Request(`http://${HOST}/`, { method: "OPTIONS", headers: origin }));
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-headers")).toBe(
      "Authorization, Encryption, Mime-Type, X-Storage-Type",
    );
    const immutable = await createHandler({
      allowedOrigins,
      authorize: () => Response.redirect("https://app.other/in"),
    });
    expect((await immutable.post(origin)).headers.get("access-control-allow-origin")).toBe("https://app.other");
  });
});

test("only POST is accepted", async () => {
  const { post } = await createHandler();
  for (const method of ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"]) {
    const response = await post({}, method);
    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
  }
});

test("a response lists what was stored, and no more", async () => {
  const { post, node } = await createHandler();
  const response = await post();
  expect(await response.json()).toEqual([stored]);
  expect(Object.fromEntries(response.headers)).toEqual({
    "cache-control": "no-store",
    "content-type": "application/json",
    "x-content-type-options": "nosniff",
  });
  expect(node.requests[0]?.headers.authorization).toBe("Bearer key-7f3a9c1e5b20d864");
});

test("a page does not learn why the network behind the endpoint cannot be reached", async () => {
  const endpoints = endpointsAt("http://127.0.0.1:1");
  const { post, errors } = await createHandler({ endpoints });
  const response = await post();
  expect(response.status).toBe(502);
  expect(await response.json()).toEqual({ error: { code: "NETWORK", message: "Network error", details: {} } });
  expect(errors).toMatchObject([{ code: "NETWORK", details: { reason: "ECONNREFUSED" } }]);
});

const invalid: [string, object][] = [
  ["authorize", { authorize: true }],
  ["limits.maxBytes", { limits: { maxBytes: -1 } }],
  ["limits.types", { limits: { types: ["png"] } }],
  ["limits.maxFiles", { limits: { maxFiles: 0 } }],
  ["maxSize", { limits: { maxSize: 1 } }],
  ["allowedOrigins", { allowedOrigins: ["*"] }],
  ["allowedOrigins", { allowedOrigins: ["https://app.example/"] }],
  ["endpoints.upload", { endpoints: { upload: "nowhere" } }],
  ["onError", { onError: 1 }],
  ["authorise", { authorise: () => true }],
];
test.each(invalid)("an invalid %s is refused when the handler is created", (option, options) => {
  const create = () => createUploadHandler({ apiKey: "key", authorize: () => true, ...options });
  expect(create).toThrow(
    expect.objectContaining({ code: "INVALID_OPTION", details: expect.objectContaining({ option }) }),
  );
});

test.each([
  ["", "MISSING_API_KEY"],
  [undefined as never, "MISSING_API_KEY"],
  ["a\nb", "INVALID_OPTION"],
])("the key %j fails requests, and not the build that imports the handler", async (apiKey, code) => {
  const { post, node, errors } = await createHandler({ apiKey });
  const response = await post();
  expect([response.status, await response.json()]).toEqual([500, { error: { message: "Internal Server Error" } }]);
  expect(errors).toMatchObject([{ code }]);
  expect(node.requests).toEqual([]);
});

/** Collects the rejections that nobody handles, which end a server. */
function watchRejections() {
  const unhandled: unknown[] = [];
  const listener = (reason: unknown) => void unhandled.push(reason);
  process.on("unhandledRejection", listener);
  onTestFinished(() => void process.off("unhandledRejection", listener));
  return async () => {
    // Node reports them before the next turn of its event loop.
    await new Promise((resolve) => setImmediate(resolve));
    return unhandled;
  };
}

const failingLogs: [string, () => void | Promise<void>][] = [
  ["rejects", () => Promise.reject(new Error("no log"))],
  [
    "throws",
    () => {
      throw new Error("no log");
    },
  ],
];
test.each(failingLogs)("an onError that %s changes nothing", async (_, onError) => {
  const rejections = watchRejections();
  const { post } = await createHandler({ onError, authorize: () => false });
  expect((await post()).status).toBe(403);
  expect(await rejections()).toEqual([]);
});

test.each(["", "x", filePart("a", "1")])("fields that authorize does not wait for end no server (%j)", async (body) => {
  const rejections = watchRejections();
  const { post } = await createHandler({ authorize: (_, form) => form.fields() === undefined });
  expect((await post({}, "POST", body)).status).toBe(403);
  expect(await rejections()).toEqual([]);
});

test("a handler requires a decision", () => {
  expect(() => createUploadHandler({ apiKey: "key" } as UploadHandlerOptions)).toThrow(
    expect.objectContaining({ code: "INVALID_OPTION" }),
  );
  expect(inspect(createUploadHandler({ apiKey: "key-7f3a9c1e5b20d864", authorize: () => true }))).not.toContain(
    "key-7f",
  );
});
