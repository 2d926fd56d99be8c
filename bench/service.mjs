// @ts-check
// The network as both clients need it, in a process of its own and as cheap as it can be: an upload node
// that counts and computes content ids, a gateway that gives one file for every content id, and key nodes that believe anybody.
import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { receiveParts } from "./received-parts.mjs";

/** @typedef {import("node:http").IncomingMessage} IncomingMessage */
/** @typedef {import("node:http").ServerResponse} ServerResponse */

/**
 * What clients have brought since the last time somebody asked.
 *
 * @typedef {object} Received
 * @property {number} files distinct names
 * @property {number} bytes of all parts together
 * @property {number} shards distinct pairs of content id and key node
 */

/** @type {{ ciphertext: string, keyShards: { key: string, index: string }[] }} */
const { ciphertext, keyShards } = JSON.parse(process.argv[2] ?? "{}");

/** @type {import("./received-parts.mjs").Part[]} */
let parts = [];
/** @type {Set<string>} */
let shards = new Set();
/**
 * @param {ServerResponse} response
 * @param {unknown} value
 */
function answer(response, value) {
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
  answer(response, request.headers["encryption"] === "true" ? items : items[0]);
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
  /** @type {any} */
  const body = await json(request);
  if (call === "setSharedKey" && body.payload?.key && body.payload.index) {
    shards.add(`${body.cid}/${node}`);
    return answer(response, { message: "success", data: {} });
  }
  if (call === "retrieveSharedKey") return answer(response, { payload: keyShards[Number(node) - 1] });
  response.writeHead(400).end(JSON.stringify({ message: `nothing is known of ${request.url}` }));
}

const server = createServer({ requestTimeout: 0 }, (request, response) => {
  route(request, response).catch(() => response.destroy());
});

process.on("disconnect", () => process.exit());
process.on("message", () => {
  const bytes = parts.reduce((sum, { size }) => sum + size, 0);
  const files = new Set(parts.map(({ name }) => name)).size;
  process.send?.({ files, bytes, shards: shards.size });
  parts = [];
  shards = new Set();
});

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address && typeof address === "object") process.send?.(`http://127.0.0.1:${address.port}`);
});
