import { once } from "node:events";
import http, { request as send } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { deleteFile, download, upload } from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { opaqueCid as cid } from "../support/fixtures.ts";
import { createServer, endpointsAt } from "../support/http-server.ts";

/** Starts a proxy; `seen` are what it was asked for. */
async function startProxy(): Promise<{ url: string; seen: string[] }> {
  const seen: string[] = [];
  const proxy = http.createServer((incoming, outgoing) => {
    seen.push(incoming.url ?? "");
    const { method, headers } = incoming;
    const onward = send(incoming.url ?? "", { method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 0, response.headers);
      response.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  proxy.on("connect", (request, socket) => {
    seen.push(`CONNECT ${request.url}`);
    const { hostname, port } = new URL(`http://${request.url}`);
    const onward = connect(Number(port), hostname, () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      socket.pipe(onward).pipe(socket);
    });
    for (const end of [socket, onward]) end.on("error", () => undefined);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => {
    vi.unstubAllEnvs();
    proxy.closeAllConnections();
    proxy.close();
  });
  const { port } = proxy.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, seen };
}

test("requests go through the proxy that the environment names", async () => {
  const proxy = await startProxy();
  const gateway = await createServer((_request, response) => response.end("file"));
  vi.stubEnv("HTTP_PROXY", proxy.url);
  vi.stubEnv("NO_PROXY", "");
  const options = { endpoints: endpointsAt(gateway.url), verifyCid: false };
  for (let n = 0; n < 2; n++) expect(new TextDecoder().decode(await download(cid, options))).toBe("file");
  expect(proxy.seen).toEqual(Array.from({ length: 2 }, () => `${gateway.url}${gateway.requests[0]?.path}`));
  expect(gateway.requests).toHaveLength(2);
});

test("a body goes through the proxy", async () => {
  const proxy = await startProxy();
  const body = new Uint8Array(1_000_000).fill(7);
  const node = await createServer((_request, response) => response.writeHead(402).end());
  vi.stubEnv("HTTP_PROXY", proxy.url);
  vi.stubEnv("NO_PROXY", "");
  await failure(upload(body, { apiKey: "key", endpoints: endpointsAt(node.url) }));
  expect(node.requests.at(-1)?.body.length).toBeGreaterThan(body.length);
  expect(proxy.seen.length).toBe(node.requests.length);
});

test("hosts that NO_PROXY names are asked directly", async () => {
  const proxy = await startProxy();
  const gateway = await createServer((_request, response) => response.end("file"));
  vi.stubEnv("HTTP_PROXY", proxy.url);
  vi.stubEnv("NO_PROXY", "127.0.0.1");
  await download(cid, { endpoints: endpointsAt(gateway.url), verifyCid: false });
  expect(proxy.seen).toEqual([]);
});

test("requests by TLS open a tunnel, through which the proxy reads nothing", async () => {
  const proxy = await startProxy();
  const gateway = await createServer((_request, response) => response.end("file"));
  vi.stubEnv("HTTPS_PROXY", proxy.url);
  vi.stubEnv("NO_PROXY", "");
  const endpoints = endpointsAt(gateway.url.replace("http:", "https:"));
  // The gateway does not speak TLS: what arrives there fails, and came by the tunnel.
  const error = await failure(download(cid, { endpoints, verifyCid: false }));
  expect(error).toMatchObject({ code: "NETWORK" });
  expect(proxy.seen).toEqual([`CONNECT ${new URL(gateway.url).host}`]);
});

test("a global agent that was replaced meanwhile has its settings used by every request", async () => {
  const service = await createServer((_request, response) => response.writeHead(402).end());
  const endpoints = endpointsAt(service.url.replace("127.0.0.1", "localhost"));
  const earlier = http.globalAgent;
  onTestFinished(() => void Object.assign(http, { globalAgent: earlier }));
  const change = () => failure(deleteFile("id", { apiKey: "key", endpoints }));
  await change();
  const lookup = vi.fn((_name: string, _options: object, done: (...found: unknown[]) => void) =>
    done(null, [{ address: "127.0.0.1", family: 4 }]),
  );
  http.globalAgent = new http.Agent({ lookup } as object);
  await change();
  expect(lookup).toHaveBeenCalledTimes(1);
});

test("a proxy that refuses connections is reported without its password", async () => {
  const gateway = await createServer((_request, response) => response.end("file"));
  vi.stubEnv("HTTP_PROXY", "http://user:swordfish@127.0.0.1:1");
  vi.stubEnv("NO_PROXY", "");
  onTestFinished(() => void vi.unstubAllEnvs());
  const error = await failure(download(cid, { endpoints: endpointsAt(gateway.url), verifyCid: false }));
  expect(error).toMatchObject({ code: "NETWORK", details: { reason: "ECONNREFUSED" } });
  expect(JSON.stringify(error) + String((error as Error).stack)).not.toContain("swordfish");
});
