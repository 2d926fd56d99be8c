import type { ClientRequest } from "node:http";
import type { Socket } from "node:net";
import type { TransferWatch } from "../types.ts";
import { freeSent } from "./sent-memory.ts";

/** A response that was sent before the connection broke arrives at once, if there is one. */
const LATE_RESPONSE_MS = 1_000;

/**
 * Receives the response of a server that refuses a body in the middle of it, and disconnects. It has arrived by the time
 * that writing fails, but Node destroys the socket on a write error and loses it. So write errors are deferred until the
 * readable side has ended.
 *
 * This replaces `_write` and `_writev` of the socket, which Node documents for implementers of streams, not for callers.
 * The public APIs do not achieve the same:
 * - A listener of `error` on the request or the socket runs when the socket is already destroyed, with its unread bytes.
 * - `autoDestroy: false` is ignored: the constructor of `net.Socket` sets it to true. `allowHalfOpen` is about the other
 *   direction, and a failed write destroys the socket regardless.
 * - `Expect: 100-continue` needs the server's cooperation, and does not help once the body has started.
 * - `createConnection` may return a Duplex that wraps the socket. This would need to forward timeouts, keep-alive,
 *   `ref` and the TLS properties that `http`, `https` and agents read from a socket.
 */
export function keepLateResponse(sender: ClientRequest, watch: TransferWatch): void {
  sender.on("socket", (socket) => {
    deferWriteErrors(socket);
    watches.set(socket, watch);
  });
}

type WriteCallback = (error?: Error | null) => void;

/** The watch of the current request of each connection: some are reused. */
const watches = new WeakMap<Socket, TransferWatch>();

/** Defers write errors until the readable side has ended. */
function deferWriteErrors(socket: Socket): void {
  if (watches.has(socket)) return;
  const { _write, _writev } = socket;
  socket._write = (chunk, encoding, callback) => {
    const done = deferError(socket, callback);
    _write.call(socket, chunk, encoding, (error) => {
      freeSent(socket, chunk);
      done(error);
    });
  };
  if (_writev) socket._writev = (chunks, callback) => _writev.call(socket, chunks, deferError(socket, callback));
}

function deferError(socket: Socket, callback: WriteCallback): WriteCallback {
  watches.get(socket)?.expect();
  return (error) => {
    watches.get(socket)?.rest();
    if (!error || socket.destroyed) {
      callback(error);
      return;
    }
    const fail = () => {
      clearTimeout(timer);
      socket.off("close", fail);
      callback(error);
    };
    // A late timer runs before pending reads; `setImmediate` runs after them.
    const timer = setTimeout(() => setImmediate(fail), LATE_RESPONSE_MS);
    socket.once("close", fail);
  };
}
