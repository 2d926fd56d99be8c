import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from "node:http";
import https from "node:https";
import type { Socket } from "node:net";
import type { TransferWatch } from "../types.ts";

/** Sends a request; what axios takes for its option of this name. */
interface Transport {
  request(options: RequestOptions, onAnswer: (answer: IncomingMessage) => void): ClientRequest;
}

/** A connection that takes no more bytes says what it has to say at once, if it does. */
const LAST_WORDS_MS = 1_000;

/**
 * Sends bodies to servers that may answer and hang up in the middle of one, as they do to refuse it. Such an
 * answer is here by the time that writing fails, and would be thrown away with the connection; so it is read
 * before the failure counts.
 */
export function lateResponseTransport(watch: TransferWatch): Transport {
  return {
    request(options, onAnswer) {
      // Looked up when it is called, so that tools that stand in for these modules (msw, nock, tracers) are heard.
      const { request } = options.protocol === "https:" ? https : http;
      return request(options, onAnswer).on("socket", (socket) => {
        readBeforeFailing(socket);
        watches.set(socket, watch);
      });
    },
  };
}

type Written = (error?: Error | null) => void;

/** Who watches a connection at present: some are used again. */
const watches = new WeakMap<Socket, TransferWatch>();

/** Has a stream that is read to its end, or broken, before the failure of a write to it counts. */
function readBeforeFailing(socket: Socket): void {
  if (watches.has(socket)) return;
  const { _write, _writev } = socket;
  socket._write = (chunk, encoding, written) => _write.call(socket, chunk, encoding, delayed(socket, written));
  if (_writev) socket._writev = (chunks, written) => _writev.call(socket, chunks, delayed(socket, written));
}

function delayed(socket: Socket, written: Written): Written {
  watches.get(socket)?.expect();
  return (error) => {
    watches.get(socket)?.rest();
    if (!error || socket.destroyed) {
      written(error);
      return;
    }
    const fail = () => {
      clearTimeout(timer);
      socket.off("close", fail);
      written(error);
    };
    // A timer that is late comes before what there is to read; the other callback comes after it.
    const timer = setTimeout(() => setImmediate(fail), LAST_WORDS_MS);
    socket.once("close", fail);
  };
}
