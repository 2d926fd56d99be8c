import { once } from "node:events";
import { createServer as createTcpServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import {
  createApiKey,
  deleteFile,
  download,
  getBalance,
  ipnsGenerateKey,
  kavachGetAuthMessage,
  upload,
} from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { address, opaqueCid as cid, nodeMessage } from "../support/fixtures.ts";
import { endpointsAt } from "../support/http-server.ts";

const apiKey = "key";

/**
 * Starts a service that responds to the first request of each connection and resets the connection on the second,
 * without announcing that it closes it: a client's pool then holds a connection that the service has abandoned.
 */
async function startForgetfulService(body: string) {
  const served: string[] = [];
  const refused: string[] = [];
  const server = createTcpServer((socket) => {
    let text = "";
    let isFirst = true;
    socket.on("error", () => undefined);
    socket.on("data", (data) => {
      text += data.toString("latin1");
      const [head = "", rest] = text.split("\r\n\r\n");
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      const line = head.split(" HTTP")[0] ?? "";
      if (!isFirst) {
        refused.push(line);
        socket.resetAndDestroy();
        return;
      }
      if (rest === undefined || text.length - head.length - 4 < length) return;
      served.push(line);
      text = "";
      isFirst = false;
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const at = server.address();
  return { served, refused, endpoints: endpointsAt(`http://127.0.0.1:${typeof at === "object" ? at?.port : ""}`) };
}

type Options = { endpoints: ReturnType<typeof endpointsAt> };

test.each<[string, string, (options: Options) => Promise<unknown>]>([
  ["getBalance", '{"dataLimit":2,"dataUsed":1}', (options) => getBalance({ ...options, apiKey })],
  ["download", "file", (options) => download(cid, { ...options, verifyCid: false })],
  [
    "kavachGetAuthMessage",
    JSON.stringify([{ message: nodeMessage }]),
    (options) => kavachGetAuthMessage(address, { ...options, attempts: 1 }),
  ],
])("%s succeeds though the service has abandoned every kept connection", async (_, body, call) => {
  const service = await startForgetfulService(body);
  for (let at = 0; at < 6; at++) await call({ endpoints: service.endpoints });
  expect(service.served).toHaveLength(6);
  expect(service.refused.length).toBeGreaterThan(0);
});

test.each<[string, string, (options: Options) => Promise<unknown>]>([
  [
    "upload",
    `{"Name":"blob","Hash":"${cid}","Size":"10"}`,
    (options) => upload(new Uint8Array(10), { ...options, apiKey }),
  ],
  ["createApiKey", '"key"', (options) => createApiKey({ ...options, address, signedMessage: "0xabc" })],
  ["deleteFile", '{"message":"File deleted successfully."}', (options) => deleteFile("id", { ...options, apiKey })],
  ["ipnsGenerateKey", '{"ipnsName":"a","ipnsId":"k51"}', (options) => ipnsGenerateKey({ ...options, apiKey })],
])("%s is sent once, over its own connection", async (_, body, call) => {
  const service = await startForgetfulService(body);
  for (let at = 0; at < 6; at++) await call({ endpoints: service.endpoints });
  expect(service.served).toHaveLength(6);
  expect(service.refused).toEqual([]);
});

test("a request is repeated once only, and only if its connection was used before", async () => {
  let connections = 0;
  const server = createTcpServer((socket) => {
    connections++;
    socket.on("error", () => undefined);
    socket.once("data", () => {
      if (connections > 1) socket.resetAndDestroy();
      else {
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 28\r\n\r\n" + '{"dataLimit":2,"dataUsed":1}');
        socket.once("data", () => socket.resetAndDestroy());
      }
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const at = server.address();
  const endpoints = endpointsAt(`http://127.0.0.1:${typeof at === "object" ? at?.port : ""}`);
  await getBalance({ endpoints, apiKey });
  expect(await failure(getBalance({ endpoints, apiKey }))).toMatchObject({ code: "NETWORK" });
  expect(connections).toBe(2);
  expect(await failure(getBalance({ endpoints, apiKey }))).toMatchObject({ code: "NETWORK" });
  expect(connections).toBe(3);
});
