import { Socket } from "node:net";
import { versions } from "node:process";
import { TLSSocket } from "node:tls";
import { MessageChannel } from "node:worker_threads";

/** Smaller memory may come from Node's pool, which others use. */
const MIN_BYTES = 64 * 1024;

/** Memory that nothing refers to once it was sent. */
const disposable = new WeakSet<ArrayBufferLike>();

const isNode = !("bun" in versions || "deno" in versions);

/** A port without a partner: memory transferred to it is freed (HTML, "message port post message steps"). */
const { port1: nowhere, port2 } = new MessageChannel();
port2.close();
nowhere.unref();

/** Marks a chunk that nothing refers to once it was sent, so that {@link freeSent} frees it. */
export function markDisposable(chunk: Uint8Array): void {
  if (chunk.length >= MIN_BYTES && chunk.length === chunk.buffer.byteLength) disposable.add(chunk.buffer);
}

/**
 * Frees the memory of a chunk that a socket has written, if it is marked. The garbage collector, which would free it
 * otherwise, takes a quarter of the time of an upload and lets memory grow. Only Node's own sockets are known to have
 * finished with the bytes by then: what intercepts requests (msw, nock, agents) may keep them.
 */
export function freeSent(socket: Socket, chunk: unknown): void {
  if (!(chunk instanceof Uint8Array) || !disposable.delete(chunk.buffer)) return;
  if (isNode && [Socket, TLSSocket].some((known) => socket.constructor === known)) {
    nowhere.postMessage(undefined, [chunk.buffer as ArrayBuffer]);
  }
}
