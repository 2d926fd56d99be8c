import { once } from "node:events";
import { request } from "node:http";
import { text } from "node:stream/consumers";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { account, add, devnetForTests, getApiKey, send } from "../../../test/support/devnet-wire.ts";
import { type Devnet, startDevnet } from "../src/index.ts";

const devnet = devnetForTests({ control: true, accounts: "fixed" });
const call = (method: string, path: string, fields?: unknown, to: Devnet = devnet()) =>
  sendRaw(method, path, { fields, to });

interface RawRequest {
  fields?: unknown;
  headers?: Record<string, string>;
  to?: Devnet;
}

/** Sends a request with exactly these headers, besides those that say where it is sent to and that it is JSON. */
async function sendRaw(method: string, path: string, { fields, headers = {}, to = devnet() }: RawRequest = {}) {
  const body = fields === undefined ? "" : typeof fields === "string" ? fields : JSON.stringify(fields);
  const url = new URL(path, to.control);
  const all = { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)), ...headers };
  const sent = request(url, { method, headers: all, agent: false }).end(body);
  const [response] = await once(sent, "response");
  const received = await text(response);
  return { status: response.statusCode as number, body: received === "" ? undefined : JSON.parse(received) };
}

afterEach(async () => {
  await call("DELETE", "/faults");
  await call("DELETE", "/attacks");
});

const readContent = async (cid = "") => (await fetch(`${devnet().endpoints.gateway}/ipfs/${cid}`)).status;

let cid = "";
beforeAll(async () => {
  const response = await add(devnet(), devnet().accounts[0]?.apiKey ?? "", { a: "content" });
  cid = ((await response.json()) as { Hash: string }).Hash;
});

test("there is no control service unless it is requested", async () => {
  const other = await startDevnet();
  expect(other.control).toBeUndefined();
  await other.close();
});

test("it describes the network, with its accounts and their API keys", async () => {
  const { endpoints, gateways, accounts } = devnet();
  expect(await call("GET", "/health")).toEqual({ status: 200, body: { status: "ok" } });
  expect(await call("GET", "/")).toEqual({ status: 200, body: { endpoints, gateways, accounts, stoppedNodes: [] } });
  expect(accounts[4]?.apiKey).toMatch(/^[0-9a-f]{8}\.[0-9a-f]{32}$/);
});

test("API keys of random accounts are shown and work, and their private keys are not shown", async () => {
  const other = await startDevnet({ control: true, chain: true, tls: true });
  try {
    const { status, body } = await call("GET", "/", undefined, other);
    expect([status, body.certificate, body.chain.rpc]).toEqual([200, other.certificate, other.chain?.rpc]);
    expect(body.accounts.map(({ address }: { address: string }) => address)).toEqual(
      other.accounts.map(({ address }) => address),
    );
    for (const { privateKey } of other.accounts) expect(JSON.stringify(body)).not.toContain(privateKey.slice(2));
  } finally {
    await other.close();
  }
  const plain = await startDevnet({ control: true });
  try {
    const { body } = await call("GET", "/", undefined, plain);
    expect((await add(plain, body.accounts[3].apiKey, { a: "a" })).status).toBe(200);
  } finally {
    await plain.close();
  }
});

describe("faults", () => {
  const fault = () => ({
    service: "gateway",
    path: `/ipfs/${cid}`,
    action: { kind: "respond", status: 503 },
  });

  test("are added, listed, hit, and removed by their ids", async () => {
    const first = await call("POST", "/faults", fault());
    expect(first).toEqual({ status: 201, body: { id: expect.any(String) } });
    const { body: second } = await call("POST", "/faults", { service: "api", action: { kind: "hang" }, times: 0 });
    const listed = [
      { id: first.body.id, ...fault() },
      { id: second.id, service: "api", action: { kind: "hang" }, times: 0 },
    ];
    expect(await call("GET", "/faults")).toEqual({ status: 200, body: listed });
    expect(await readContent(cid)).toBe(503);
    expect(await call("DELETE", `/faults/${first.body.id}`)).toEqual({ status: 204, body: undefined });
    expect(await readContent(cid)).toBe(200);
    expect((await call("DELETE", `/faults/${first.body.id}`)).status).toBe(404);
    expect((await call("GET", "/faults")).body).toEqual(listed.slice(1));
    expect((await call("DELETE", "/faults")).status).toBe(204);
    expect((await call("GET", "/faults")).body).toEqual([]);
  });

  test("of the process itself are listed and removed, too, also those with a pattern", async () => {
    devnet().faults.add({ service: "gateway", path: /^\/ipfs/i, action: { kind: "respond", status: 502 } });
    const [listed] = (await call("GET", "/faults")).body;
    expect(listed).toMatchObject({ service: "gateway", path: "/^\\/ipfs/i" });
    expect(await readContent(cid)).toBe(502);
    await call("DELETE", `/faults/${listed.id}`);
    expect(await readContent(cid)).toBe(200);
  });

  test.each([
    [{ service: "foo", action: { kind: "hang" } }, /^Invalid option fault\.service: "foo": expected one of api, /],
    [{ service: "api", action: { kind: "hang" }, tims: 1 }, /^Unknown option fault\.tims: did you mean times\?$/],
    [{ service: "api", path: {}, action: { kind: "hang" } }, /^Invalid option fault\.path: /],
    [{}, /^Invalid option fault\.service: /],
  ])("%j is refused with the devnet's own words", async (fields, message) => {
    const body = { code: "INVALID_OPTION", message: expect.stringMatching(message) };
    expect(await call("POST", "/faults", fields)).toEqual({ status: 400, body });
    expect((await call("GET", "/faults")).body).toEqual([]);
  });
});

test("attacks are added, listed, carried out and removed; those that take a function are refused", async () => {
  const { body } = await call("POST", "/attacks", { kind: "refuse-blocks", cid });
  expect((await call("GET", "/attacks")).body).toEqual([{ id: body.id, kind: "refuse-blocks", cid }]);
  expect(await readContent(`${cid}?format=raw`)).toBe(406);
  expect((await call("DELETE", `/attacks/${body.id}`)).status).toBe(204);
  expect(await readContent(`${cid}?format=raw`)).toBe(200);
  const refused = { code: "INVALID_OPTION", message: "Invalid option attack.change: expected a function" };
  expect(await call("POST", "/attacks", { kind: "tamper-content" })).toEqual({ status: 400, body: refused });
  await call("POST", "/attacks", { kind: "tamper-record", claims: null });
  expect((await call("DELETE", "/attacks")).status).toBe(204);
  expect((await call("GET", "/attacks")).body).toEqual([]);
});

test("key nodes are stopped and started", async () => {
  const ask = () => send("POST", `${devnet().endpoints.keyNodes}/api/setSharedKey/4`, {}).then(({ status }) => status);
  expect(await ask()).toBe(400);
  expect((await call("POST", "/nodes/4/stop")).status).toBe(204);
  await expect(ask()).rejects.toThrow("fetch failed");
  expect((await call("GET", "/")).body.stoppedNodes).toEqual([4]);
  expect((await call("POST", "/nodes/4/start")).status).toBe(204);
  expect(await ask()).toBe(400);
  for (const node of ["0", "6", "four", "1.5"]) {
    const body = { code: "INVALID_OPTION", message: expect.stringMatching(/^There is no key node /) };
    for (const change of ["stop", "start"]) {
      expect(await call("POST", `/nodes/${node}/${change}`)).toEqual({ status: 400, body });
    }
  }
});

test("requests are listed, without those of the control service", async () => {
  await fetch(`${devnet().endpoints.api}/nowhere`);
  const { body } = await call("GET", "/requests");
  expect(body).toEqual(JSON.parse(JSON.stringify(devnet().requests())));
  expect(body.at(-1)).toMatchObject({ service: "api", method: "GET", path: "/nowhere", status: 404 });
});

test("prices and limits are set", async () => {
  const { api, x402 } = devnet().endpoints;
  expect((await call("PUT", "/tickers/fil", { usd: 7.5 })).status).toBe(204);
  expect((await send("GET", `${api}/api/lighthouse/get_ticker?symbol=FIL`)).body).toBe(7.5);
  expect((await call("PUT", "/data-limits/annual", { bytes: 12_345 })).status).toBe(204);
  const key = await getApiKey(devnet(), account(devnet(), 0));
  expect((await send("GET", `${api}/api/user/user_data_usage`, undefined, key)).body).toMatchObject({
    dataLimit: 12_345,
  });
  expect((await call("PUT", "/upload-price", { usdPerMiB: 0.25 })).status).toBe(204);
  expect((await send("GET", `${x402}/api/upload/price?size=1`)).body).toMatchObject({ pricePerMB: "$0.25" });
});

test.each([
  ["/tickers/fil", {}],
  ["/tickers/fil", { usd: 0 }],
  ["/tickers/fil", { usd: "5" }],
  ["/tickers/fil", { usd: 5, eur: 4 }],
  ["/data-limits/annual", { bytes: -1 }],
  ["/data-limits/annual", { bytes: null }],
  ["/data-limits/yearly", { bytes: 1 }],
  ["/upload-price", { usdPerMiB: -0.1 }],
  ["/upload-price", { usd: 1 }],
])("PUT %s with %j is refused", async (path, fields) => {
  const body = { code: "INVALID_OPTION", message: expect.any(String) };
  expect(await call("PUT", path, fields)).toEqual({ status: 400, body });
});

test("anything but a JSON object is refused, and so is what there is not", async () => {
  for (const fields of ["", "{", "[]", "null", '"text"', "5"]) {
    expect((await sendRaw("POST", "/faults", { fields })).status).toBe(400);
    expect((await sendRaw("PUT", "/upload-price", { fields })).status).toBe(400);
  }
  expect((await sendRaw("POST", "/faults", { fields: { text: "x".repeat(2_000_000) } })).status).toBe(413);
  for (const [method, path] of [
    ["GET", "/nowhere"],
    ["PUT", "/faults"],
    ["POST", "/"],
    ["POST", "/nodes/1/restart"],
    ["DELETE", "/attacks/1"],
  ] as const) {
    expect((await call(method, path)).status, `${method} ${path}`).toBe(404);
  }
});

describe("pages in a browser of this machine", () => {
  const port = () => new URL(devnet().control ?? "").port;
  const hang = { service: "gateway", action: { kind: "respond", status: 500 } };

  test.each([
    "http://evil.example",
    "https://127.0.0.1.evil.example",
    "http://localhost.evil.example",
    "null",
    "file://",
  ])("of the origin %s neither read nor change anything", async (origin) => {
    for (const [method, path] of [
      ["GET", "/"],
      ["POST", "/faults"],
      ["DELETE", "/faults"],
      ["POST", "/nodes/1/stop"],
      ["OPTIONS", "/faults"],
    ] as const) {
      const { status, body } = await sendRaw(method, path, { fields: hang, headers: { origin } });
      expect([status, body]).toEqual([403, { message: "Pages of other hosts are refused" }]);
    }
    expect((await call("GET", "/")).body.stoppedNodes).toEqual([]);
    expect((await call("GET", "/faults")).body).toEqual([]);
  });

  test("cannot reach it by a name that they make lead here", async () => {
    for (const host of ["evil.example", `evil.example:${port()}`, "127.0.0.1.evil.example", "10.0.0.1", "intranet"]) {
      for (const headers of [{ host }, { host, origin: `http://${host}` }]) {
        expect((await sendRaw("GET", "/", { headers })).status).toBe(403);
        expect((await sendRaw("POST", "/faults", { fields: hang, headers })).status).toBe(403);
      }
    }
    expect((await call("GET", "/faults")).body).toEqual([]);
  });

  test.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=b",
    "",
    "application/jsonp",
  ])("cannot send changes as %s, which needs no permission", async (type) => {
    const headers = { "content-type": type };
    for (const [method, path] of [
      ["POST", "/faults"],
      ["POST", "/nodes/1/stop"],
      ["DELETE", "/faults"],
      ["PUT", "/upload-price"],
    ] as const) {
      expect((await sendRaw(method, path, { fields: hang, headers })).status).toBe(415);
    }
  });

  test("get no permission to read or to send", async () => {
    const origin = devnet().control ?? "";
    for (const method of ["OPTIONS", "GET"]) {
      const response = await fetch(`${devnet().control}/faults`, { method, headers: { origin } });
      expect([...response.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
    }
  });

  test("its own names are accepted, and pages of the same host", async () => {
    for (const name of ["localhost", "127.0.0.1", "[::1]", "LOCALHOST"]) {
      const host = `${name}:${port()}`;
      expect((await sendRaw("GET", "/health", { headers: { host } })).status).toBe(200);
      const headers = { host, origin: `http://${name}:3000`, "content-type": "application/json; charset=utf-8" };
      expect((await sendRaw("DELETE", "/faults", { headers })).status).toBe(204);
    }
  });
});

test("beyond loopback it has other names: its public one, addresses, and names without a dot", async () => {
  const exposed = await startDevnet({ control: true, host: "0.0.0.0", publicHost: "devnet.internal" });
  const to = { ...exposed, control: exposed.control?.replace("devnet.internal", "127.0.0.1") ?? "" };
  try {
    const ask = async (host: string, more = {}) =>
      (await sendRaw("GET", "/", { to, headers: { host, ...more } })).status;
    for (const host of ["devnet.internal", "DEVNET.internal:80", "10.0.0.1", "[fe80::1]", "devnet", "localhost"]) {
      expect(await ask(host), host).toBe(200);
      expect(await ask(host, { origin: `http://${host}` })).toBe(200);
      expect(await ask(host, { origin: "http://other" })).toBe(403);
    }
    for (const host of ["evil.example", "devnet.internal.evil.example", "a.b"]) expect(await ask(host), host).toBe(403);
  } finally {
    await exposed.close();
  }
});
