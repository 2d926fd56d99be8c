import type { IncomingMessage, ServerResponse } from "node:http";
import type { FaultAction } from "./fault.ts";

/** A request under way, and how to serve it as if nothing were wrong. */
export interface Exchange {
  incoming: IncomingMessage;
  outgoing: ServerResponse;
  serve: () => void;
}

/** Requests whose answer must be a lie; the key nodes look here. */
export type Liars = WeakSet<IncomingMessage>;

/** Does to a request what the fault says. */
export function act(action: FaultAction, exchange: Exchange, liars: Liars): void {
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
      answer(incoming, outgoing, action);
      break;
    case "cut":
      cutAnswer(incoming, outgoing, action.atByte);
      serve();
      break;
    case "lie":
      liars.add(incoming);
      serve();
      break;
  }
}

/** Makes a request fail as if nobody listened. */
export function resetConnection(incoming: IncomingMessage): void {
  incoming.socket.resetAndDestroy();
}

function delay(outgoing: ServerResponse, ms: number, serve: () => void): void {
  const timer = setTimeout(() => {
    outgoing.off("close", forget);
    serve();
  }, ms);
  const forget = () => clearTimeout(timer);
  outgoing.once("close", forget);
}

function answer(incoming: IncomingMessage, outgoing: ServerResponse, action: FaultAction & { kind: "respond" }): void {
  incoming.resume();
  const body = action.text ?? JSON.stringify(action.json ?? null);
  const type = action.text === undefined ? "application/json" : "text/html; charset=utf-8";
  outgoing.writeHead(action.status ?? 200, { "content-type": type, ...action.headers });
  outgoing.end(body);
}

/** Counts the body as it comes in, beside whoever reads it, and pulls the plug. */
function resetAfter(incoming: IncomingMessage, bytes: number, serve: () => void): void {
  let left = bytes;
  const push = incoming.push.bind(incoming);
  incoming.push = (chunk: unknown, encoding?: BufferEncoding) => {
    if (chunk instanceof Uint8Array) left -= chunk.byteLength;
    if (left <= 0) {
      resetConnection(incoming);
      return false;
    }
    return push(chunk, encoding);
  };
  serve();
}

/** Lets `limit` bytes of the answer's body out, then ends the connection. */
function cutAnswer(incoming: IncomingMessage, outgoing: ServerResponse, limit: number): void {
  let left = limit;
  const write = outgoing.write.bind(outgoing) as (chunk: Uint8Array) => boolean;
  const cut = (): boolean => {
    outgoing.flushHeaders();
    incoming.socket.destroySoon();
    return false;
  };
  const pass = (chunk: unknown): boolean => {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : (chunk as Uint8Array);
    const part = bytes.subarray(0, left);
    left -= part.byteLength;
    const more = write(part);
    return left > 0 ? more : cut();
  };
  outgoing.write = ((chunk: unknown) => pass(chunk)) as ServerResponse["write"];
  outgoing.end = ((chunk?: unknown) => {
    if (typeof chunk === "string" || chunk instanceof Uint8Array) pass(chunk);
    if (left > 0 || limit === 0) cut();
    return outgoing;
  }) as ServerResponse["end"];
}
