import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:http2";
import { request } from "node:https";
import { text } from "node:stream/consumers";
import { afterEach, beforeAll, expect, test } from "vitest";
import { computeImporterCids } from "../../../test/cid/importer.ts";
import { account, devnetForTests } from "../../../test/support/devnet-wire.ts";
import { type Devnet, startDevnet } from "../src/index.ts";
import { getApiKeyOverHttp2, type Http2Request, sendHttp2, sendOver } from "./http2-client.ts";

const devnet = devnetForTests({ tls: true, gateways: 2 });
const content = randomBytes(3_000_000);

const send = (url: string, init: Http2Request = {}, to: Devnet = devnet()) => sendHttp2(url, to.certificate, init);

let cid = "";
beforeAll(async () => {
  cid = (await computeImporterCids({ f: content }))["f"]?.cid ?? "";
  const key = await getApiKeyOverHttp2(devnet(), account(devnet(), 0));
  function* encodeBody() {
    yield Buffer.from('--b\r\ncontent-disposition: form-data; name="file"; filename="f"\r\n\r\n');
    for (let start = 0; start < content.byteLength; start += 50_000) yield content.subarray(start, start + 50_000);
    yield Buffer.from("\r\n--b--\r\n");
  }
  const headers = { authorization: `Bearer ${key}`, "content-type": "multipart/form-data; boundary=b" };
  const url = `${devnet().endpoints.upload}/api/v0/add?cid-version=1`;
  const response = await send(url, { method: "POST", headers, body: encodeBody() });
  expect(JSON.parse(response.body.toString())).toMatchObject({ Hash: cid });
});
afterEach(() => devnet().faults.clear());

test("every service speaks HTTP/2, and HTTP/1.1, with a certificate of its own", async () => {
  const { certificate: ca, gateways, endpoints } = devnet();
  for (const url of [...gateways, ...Object.values(endpoints)]) {
    expect(url).toMatch(/^https:\/\/127\.0\.0\.1:/);
    expect((await send(`${url}/nowhere`)).headers[":status"]).toBe(404);
    // node:https knows HTTP/1.1 only
    const sent = request(`${url.replace("127.0.0.1", "localhost")}/nowhere`, { ca, agent: false }).end();
    const [response] = await once(sent, "response");
    expect([response.httpVersion, response.statusCode]).toEqual(["1.1", 404]);
    expect(await text(response)).toContain("Not Found");
  }
});

test("a streamed upload is stored, and read as file, part, block and archive", async () => {
  const url = `${devnet().gateways[1]}/ipfs/${cid}`;
  const whole = await send(url);
  expect([whole.headers["content-length"], whole.body.equals(content)]).toEqual(["3000000", true]);
  const cat = await send(`${devnet().endpoints.gateway}/api/v0/cat/${cid}`, { method: "POST" });
  expect(cat.body.equals(content)).toBe(true);
  const part = await send(url, { headers: { range: "bytes=1000000-1000009" } });
  expect(part.body.equals(content.subarray(1_000_000, 1_000_010))).toBe(true);
  expect((await send(url, { method: "HEAD" })).headers["content-length"]).toBe("3000000");
  expect((await send(`${url}?format=raw`)).headers["content-type"]).toBe("application/vnd.ipld.raw");
  expect((await send(`${url}?format=car`)).body.byteLength).toBeGreaterThan(3_000_000);
});

test("a page may send requests", async () => {
  const headers = { origin: "https://page.example", "access-control-request-headers": "authorization" };
  const preflight = await send(`${devnet().endpoints.upload}/api/v0/add`, { method: "OPTIONS", headers });
  expect(preflight.headers).toMatchObject({
    ":status": 204,
    "access-control-allow-origin": "https://page.example",
    "access-control-allow-headers": "authorization",
  });
});

test("faults hit single requests of a connection", async () => {
  const url = new URL(`${devnet().endpoints.gateway}/ipfs/${cid}`);
  const session = connect(url, { ca: devnet().certificate });
  const get = () => sendOver(session, url, {});
  const breaks = async (action: Parameters<Devnet["faults"]["add"]>[0]["action"]) => {
    const remove = devnet().faults.add({ service: "gateway", action });
    await expect(get()).rejects.toThrow("NGHTTP2_INTERNAL_ERROR");
    remove();
    expect((await get()).body.equals(content)).toBe(true);
  };
  await breaks({ kind: "reset" });
  await breaks({ kind: "cut", atByte: 0 });
  await breaks({ kind: "cut", atByte: 100_000 });
  devnet().faults.add({ service: "gateway", action: { kind: "respond", status: 503, text: "busy" } });
  expect(await get()).toMatchObject({ headers: { ":status": 503 }, body: Buffer.from("busy") });
  session.destroy();
});

test("a cut response has the bytes up to the cut", async () => {
  devnet().faults.add({ service: "gateway", action: { kind: "cut", atByte: 100_000 } });
  const { gateway } = devnet().endpoints;
  const session = connect(gateway, { ca: devnet().certificate });
  const stream = session.request({ ":path": `/ipfs/${cid}` });
  let received = 0;
  stream.on("data", (chunk: Uint8Array) => {
    received += chunk.byteLength;
  });
  await expect(once(stream, "end")).rejects.toThrow("NGHTTP2_INTERNAL_ERROR");
  expect(received).toBe(100_000);
  session.destroy();
});

test("faults reset and cut connections of HTTP/1.1, too", async () => {
  const { certificate: ca, endpoints } = devnet();
  const get = async () => {
    const sent = request(`${endpoints.gateway}/ipfs/${cid}`, { ca, agent: false }).end();
    const [response] = await once(sent, "response");
    return text(response);
  };
  devnet().faults.add({ service: "gateway", times: 1, action: { kind: "reset" } });
  await expect(get()).rejects.toMatchObject({ code: "ECONNRESET" });
  devnet().faults.add({ service: "gateway", times: 1, action: { kind: "cut", atByte: 10 } });
  await expect(get()).rejects.toMatchObject({ code: "ECONNRESET" });
});

test("an upload can be broken off midway", async () => {
  devnet().faults.add({ service: "upload", action: { kind: "reset", afterBytes: 100_000 } });
  const url = `${devnet().endpoints.upload}/api/v0/add`;
  const headers = {
    authorization: `Bearer ${await getApiKeyOverHttp2(devnet(), account(devnet(), 0))}`,
    "content-type": "multipart/form-data; boundary=b",
  };
  const head = Buffer.from('--b\r\ncontent-disposition: form-data; name="file"; filename="f"\r\n\r\n');
  await expect(send(url, { method: "POST", headers, body: [head, content] })).rejects.toThrow("NGHTTP2_INTERNAL_ERROR");
});

test("a stopped node refuses its requests, and no others", async () => {
  devnet().stopNode(2);
  const get = (node: number) => send(`${devnet().endpoints.keyNodes}/api/fileAccessConditions/get/x/${node}`);
  await expect(get(2)).rejects.toThrow("NGHTTP2_INTERNAL_ERROR");
  expect((await get(3)).headers[":status"]).toBeGreaterThan(0);
  devnet().startNode(2);
  expect((await get(2)).headers[":status"]).toBeGreaterThan(0);
});

test("close ends open connections", async () => {
  const other = await startDevnet({ tls: true, faults: [{ service: "gateway", action: { kind: "hang" } }] });
  const hanging = send(`${other.endpoints.gateway}/ipfs/x`, {}, other);
  await Promise.race([expect.poll(() => other.requests()).toHaveLength(1), hanging]);
  await Promise.all([expect(hanging).rejects.toThrow("closed"), other.close()]);
});
