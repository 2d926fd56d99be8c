import type { IncomingMessage, ServerResponse } from "node:http";
import { constants, Http2ServerRequest, type ServerHttp2Stream } from "node:http2";
import { TLSSocket } from "node:tls";
import type { FaultAction, SettleAction } from "./faults.ts";

/** A request under way, and how to serve it without the fault. */
export interface Exchange {
  incoming: IncomingMessage;
  outgoing: ServerResponse;
  serve: () => void;
}

/** Requests that key nodes respond to with a forged shard. */
export type ForgedRequests = WeakSet<IncomingMessage>;

/** Requests whose payment is settled in another way. */
export type SettleFaults = WeakMap<IncomingMessage, SettleAction>;

/** Requests that a service has to serve wrongly. */
export interface Marks {
  forgedRequests: ForgedRequests;
  settleFaults: SettleFaults;
}

/** Applies a fault to a request. */
export function applyFault(action: FaultAction, exchange: Exchange, { forgedRequests, settleFaults }: Marks): void {
  const { incoming, outgoing, serve } = exchange;
  switch (action.kind) {
    case "reset":
      if (action.afterBytes === undefined) resetConnection(incoming);
      else resetAfter(incoming, action.afterBytes, serve);
      break;
    case "delay":
      delay(outgoing, action.ms, serve);
      break;
    case "hang":
      incoming.resume();
      break;
    case "respond":
      if (action.served) respondServed(exchange, action);
      else respond(incoming, outgoing, action);
      break;
    case "cut":
      cutResponse(incoming, outgoing, action.atByte);
      serve();
      break;
    case "wrong-shard":
      forgedRequests.add(incoming);
      serve();
      break;
    case "settle":
      settleFaults.set(incoming, action);
      serve();
      break;
  }
}

/** Resets the connection, as if nothing were listening; over HTTP/2 only this request's part of it. */
export function resetConnection(incoming: IncomingMessage): void {
  const stream = getHttp2Stream(incoming);
  if (stream) stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  else if (incoming.socket instanceof TLSSocket) incoming.socket.destroy();
  else incoming.socket.resetAndDestroy();
}

function getHttp2Stream(incoming: unknown): ServerHttp2Stream | undefined {
  return incoming instanceof Http2ServerRequest ? incoming.stream : undefined;
}

/** Sends what was written, then ends the connection without the end of the response. */
function endAbruptly(incoming: IncomingMessage): void {
  const stream = getHttp2Stream(incoming);
  // a reset would overtake what was written
  if (stream) stream.write(new Uint8Array(0), () => resetConnection(incoming));
  else incoming.socket.destroySoon();
}

function delay(outgoing: ServerResponse, ms: number, serve: () => void): void {
  const timer = setTimeout(() => {
    outgoing.off("close", cancel);
    serve();
  }, ms);
  const cancel = () => clearTimeout(timer);
  outgoing.once("close", cancel);
}

function respond(incoming: IncomingMessage, outgoing: ServerResponse, action: FaultAction & { kind: "respond" }): void {
  incoming.resume();
  const body = action.text ?? JSON.stringify(action.json ?? null);
  const type = action.text === undefined ? "application/json" : "text/html; charset=utf-8";
  const headers = { "content-type": type, "content-length": Buffer.byteLength(body), ...action.headers };
  outgoing.writeHead(action.status ?? 200, headers);
  outgoing.end(body);
}

/** Serves the request, and responds with the action's response once the service's own is complete. */
function respondServed({ incoming, outgoing, serve }: Exchange, action: FaultAction & { kind: "respond" }): void {
  const own = { writeHead: outgoing.writeHead, end: outgoing.end };
  outgoing.writeHead = () => outgoing;
  outgoing.flushHeaders = () => {};
  outgoing.write = () => true;
  outgoing.end = () => {
    Object.assign(outgoing, own);
    respond(incoming, outgoing, action);
    return outgoing;
  };
  serve();
}

/** Counts the bytes of the body as they arrive, regardless of who reads them, then resets the connection. */
function resetAfter(incoming: IncomingMessage, bytes: number, serve: () => void): void {
  let remaining = bytes;
  const push = incoming.push.bind(incoming);
  incoming.push = (chunk: unknown, encoding?: BufferEncoding) => {
    if (chunk instanceof Uint8Array) remaining -= chunk.byteLength;
    if (remaining <= 0) {
      resetConnection(incoming);
      return false;
    }
    return push(chunk, encoding);
  };
  serve();
}

/** Sends `limit` bytes of the response's body, then closes the connection. */
function cutResponse(incoming: IncomingMessage, outgoing: ServerResponse, limit: number): void {
  let remaining = limit;
  const write = outgoing.write.bind(outgoing) as (chunk: Uint8Array) => boolean;
  const cut = (): boolean => {
    outgoing.flushHeaders();
    endAbruptly(incoming);
    return false;
  };
  const pass = (chunk: unknown): boolean => {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : (chunk as Uint8Array);
    const part = bytes.subarray(0, remaining);
    remaining -= part.byteLength;
    const isDrained = write(part);
    return remaining > 0 ? isDrained : cut();
  };
  outgoing.write = ((chunk: unknown) => pass(chunk)) as ServerResponse["write"];
  outgoing.end = ((chunk?: unknown) => {
    if (typeof chunk === "string" || chunk instanceof Uint8Array) pass(chunk);
    if (remaining > 0 || limit === 0) cut();
    return outgoing;
  }) as ServerResponse["end"];
}
