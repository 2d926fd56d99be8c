// @ts-check
// A minimal network for both clients, in a process of its own: an upload node that counts files and computes CIDs, a
// gateway that serves one file for every CID and no blocks, and key nodes that accept any credentials.
import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { computeCid, receiveParts } from "./received-parts.mjs";

/** @typedef {import("node:http").IncomingMessage} IncomingMessage */
/** @typedef {import("node:http").ServerResponse} ServerResponse */

/**
 * What the service has received since the last report.
 *
 * @typedef {object} Received
 * @property {number} files distinct names
 * @property {number} bytes of all parts together
 * @property {number} shards distinct pairs of CID and key node
 */

/** @type {{ ciphertext: string, keyShards: { key: string, index: string }[] }} */
const { ciphertext, keyShards } = JSON.parse(process.argv[2] ?? "{}");

/** @type {import("./received-parts.mjs").Part[]} */
let parts = [];
/** @type {Set<string>} */
let shards = new Set();
let cpuBefore = process.cpuUsage();

/**
 * @param {ServerResponse} response
 * @param {unknown} value
 */
function respond(response, value) {
  response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(value));
}

/**
 * @param {IncomingMessage} request
 * @param {ServerResponse} response
 */
async function add(request, response) {
  const added = await receiveParts(request);
  parts.push(...added);
  const items = added.map(({ name, size, cid }) => ({ Name: name, Hash: cid, Size: String(size) }));
  respond(response, request.headers["encryption"] === "true" ? items : items[0]);
}

/** @param {ServerResponse} response */
function cat(response) {
  response.writeHead(200, { "Content-Length": statSync(ciphertext).size });
  createReadStream(ciphertext, { highWaterMark: 1024 * 1024 }).pipe(response);
}

/**
 * @param {IncomingMessage} request
 * @param {ServerResponse} response
 */
async function route(request, response) {
  const [, api, call, node] = (request.url ?? "").split("?")[0]?.split("/") ?? [];
  if (api === "api" && call === "v0" && node === "add") return add(request, response);
  if (api === "api" && call === "v0" && node === "cat") return cat(response);
  const body = /** @type {{ cid?: string, payload?: { key?: string, index?: string } }} */ (await json(request));
  if (call === "setSharedKey" && body.payload?.key && body.payload.index) {
    shards.add(`${body.cid}/${node}`);
    return respond(response, { message: "success", data: {} });
  }
  if (call === "retrieveSharedKey") return respond(response, { payload: keyShards[Number(node) - 1] });
  response.writeHead(400).end(JSON.stringify({ message: `unknown path ${request.url}` }));
}

const server = createServer({ requestTimeout: 0 }, (request, response) => {
  route(request, response).catch(() => response.destroy());
});

process.on("disconnect", () => process.exit());
process.on("message", () => {
  const bytes = parts.reduce((sum, { size }) => sum + size, 0);
  const files = new Set(parts.map(({ name }) => name)).size;
  const { user, system } = process.cpuUsage(cpuBefore);
  process.send?.({ received: { files, bytes, shards: shards.size }, cpuSeconds: (user + system) / 1e6 });
  cpuBefore = process.cpuUsage();
  parts = [];
  shards = new Set();
});

const cid = await computeCid(createReadStream(ciphertext));
cpuBefore = process.cpuUsage();
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address && typeof address === "object") process.send?.({ service: `http://127.0.0.1:${address.port}`, cid });
});
