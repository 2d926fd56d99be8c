import { expect, test } from "vitest";
import { getBalance } from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { createServer, endpointsAt, type Handler } from "../support/http-server.ts";

const redirectTo =
  (location: string | undefined, status = 302): Handler =>
  (_request, response) =>
    response.writeHead(status, location === undefined ? {} : { location }).end("elsewhere");

const sendBalance: Handler = (_request, response) => response.end('{"dataLimit":2,"dataUsed":1}');
const ask = (url: string) => getBalance({ apiKey: "secret-key", endpoints: endpointsAt(url) });

const isSecretSent = (requests: readonly { headers: unknown }[]) => JSON.stringify(requests).includes("secret-key");

test.each([301, 302, 303, 307, 308])("a GET follows a redirect of status %i", async (status) => {
  const last = await createServer(sendBalance);
  const first = await createServer(redirectTo(`${last.url}/elsewhere`, status));
  expect(await ask(first.url)).toMatchObject({ dataLimit: 2 });
  expect(last.requests.map(({ path }) => path)).toEqual(["/elsewhere"]);
});

test("credentials are not sent to another origin that a service redirects to", async () => {
  const last = await createServer(sendBalance);
  const first = await createServer(redirectTo(`${last.url}/api`));
  await ask(first.url);
  expect([first, last].map(({ requests }) => requests.length)).toEqual([1, 1]);
  expect([first, last].map(({ requests }) => isSecretSent(requests))).toEqual([true, false]);
});

test("credentials are sent again to a path of the same origin", async () => {
  const only = await createServer((request, response, incoming) =>
    request.path === "/moved"
      ? sendBalance(request, response, incoming)
      : redirectTo("/moved")(request, response, incoming),
  );
  await ask(only.url);
  expect(only.requests.map(({ headers }) => headers.authorization)).toEqual(["Bearer secret-key", "Bearer secret-key"]);
});

test("a service that redirects for ever is given up", async () => {
  const loop = await createServer(redirectTo("/again"));
  const error = await failure(ask(loop.url));
  expect(error).toMatchObject({ code: "NETWORK", details: { reason: "Too many redirects" } });
  expect(loop.requests).toHaveLength(6);
});

test.each(["file:///etc/passwd", "http://[", "javascript:1"])("a redirect to %s is refused", async (location) => {
  const first = await createServer(redirectTo(location));
  const error = await failure(ask(first.url));
  expect(error).toMatchObject({ code: "NETWORK" });
});

test("a redirect that names no address is a refusal as any other", async () => {
  const first = await createServer(redirectTo(undefined));
  const error = await failure(ask(first.url));
  expect(error).toMatchObject({ code: "HTTP_STATUS", details: { status: 302 } });
});
