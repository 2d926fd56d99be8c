// @ts-check
import { once } from "node:events";
import { connect, createServer } from "node:net";

/** @typedef {import("node:net").Socket} Socket */

/**
 * Puts a distance between a client and a server on this machine: a TCP relay that delays every byte of each direction by
 * `delayMs`, in order. A new connection costs one round trip more, as its handshake does over a distance.
 *
 * @param {string} url of an HTTP service
 * @param {number} delayMs
 * @returns {Promise<string>} the URL of the same service over the distance
 */
export async function startRelay(url, delayMs) {
  const { hostname, port } = new URL(url);
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const service = connect({ host: hostname, port: Number(port), allowHalfOpen: true, noDelay: true });
    const shakenAt = performance.now() + 2 * delayMs;
    pass(client, service, () => Math.max(performance.now(), shakenAt) + delayMs);
    pass(service, client, () => performance.now() + delayMs);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (!address || typeof address === "string") throw new Error("the relay has no port");
  return `http://127.0.0.1:${address.port}`;
}

/**
 * Passes what arrives at one socket on to another, each chunk at its time and in order.
 *
 * @param {Socket} from
 * @param {Socket} to
 * @param {() => number} getDueTime when a chunk that arrives now is due
 */
function pass(from, to, getDueTime) {
  /** @type {{ due: number, act: () => void }[]} */
  const waiting = [];

  /** @param {() => void} act */
  function later(act) {
    waiting.push({ due: getDueTime(), act });
    if (waiting.length === 1) wake();
  }

  function wake() {
    const next = waiting[0];
    if (!next) return;
    const left = next.due - performance.now();
    if (left > 0) {
      setTimeout(wake, left);
      return;
    }
    next.act();
    waiting.shift();
    wake();
  }

  from.on("data", (chunk) =>
    later(() => {
      if (!to.destroyed && !to.write(chunk)) pauseUntilDrained(from, to);
    }),
  );
  from.on("end", () => later(() => to.end()));
  from.on("close", () => later(() => to.destroy()));
  from.on("error", () => from.destroy());
}

/**
 * @param {Socket} from
 * @param {Socket} to
 */
function pauseUntilDrained(from, to) {
  from.pause();
  to.once("drain", () => from.resume());
}
