import { HttpResponse } from "msw";
import { vi } from "vitest";
import type { Profile, Row } from "./row.ts";

const SHORT_TIMEOUT_MS = 8_000;
const TRANSFER_TIMEOUT_MS = 7_200_000;

/** What a service does instead of answering as it should. */
export interface Failure {
  name: string;
  kind: "refusal" | "page" | "cut" | "silence" | "surprise";
  status: number;
  /** Whether the refusal says why in JSON. */
  words?: string;
  retryAfterSeconds?: number;
  respond(): Response | Promise<Response>;
}

/** How a call has to fail. */
export interface Outcome {
  code: string;
  message: string | RegExp;
  details?: Record<string, unknown>;
  /** How many requests it makes before it gives up. Default 1. */
  requests?: number;
}

const words = "No such luck";
const html = "<!doctype html><html><head><title>Welcome</title></head><body>Hello</body></html>";

function refusal(status: number, retryAfterSeconds?: number): Failure {
  const headers = retryAfterSeconds === undefined ? {} : { "Retry-After": String(retryAfterSeconds) };
  return {
    name: retryAfterSeconds === undefined ? `${status}` : `${status} with Retry-After`,
    kind: "refusal",
    status,
    words,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    respond: () => HttpResponse.json({ message: { message: words } }, { status, headers }),
  };
}

export const failures: Failure[] = [
  refusal(400),
  refusal(401),
  refusal(403),
  refusal(404),
  refusal(429, 7),
  refusal(500),
  {
    name: "an HTML page with 502",
    kind: "refusal",
    status: 502,
    respond: () => HttpResponse.html(html, { status: 502 }),
  },
  { name: "an HTML page instead of JSON", kind: "page", status: 200, respond: () => HttpResponse.html(html) },
  { name: "JSON that breaks off", kind: "page", status: 200, respond: () => text('{"message": "suc') },
  { name: "a connection that breaks off", kind: "cut", status: 200, respond: () => new HttpResponse(brokenOff()) },
  { name: "JSON of another kind", kind: "surprise", status: 200, respond: () => HttpResponse.json({ surprise: true }) },
  { name: "no answer ever", kind: "silence", status: 0, respond: neverAnswer },
];

function text(body: string): Response {
  return new HttpResponse(body, { headers: { "Content-Type": "application/json" } });
}

/** Lets the longest time limit go by as soon as the request has come in, on a clock that the test has stopped. */
function neverAnswer(): Promise<Response> {
  vi.advanceTimersByTime(TRANSFER_TIMEOUT_MS);
  return new Promise<Response>(() => undefined);
}

/** A body that begins well and then fails. */
function brokenOff(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{"message": '));
    },
    pull(controller) {
      controller.error(new Error("connection reset"));
    },
  });
}

type Expect = (failure: Failure, row: Row) => Outcome | undefined;

const requestWords = (status: number): string => `Request failed with status code ${status}`;
const httpWords = (status: number): string => `HTTP error! status: ${status}`;

/** Calls of the API host and the upload node, in one of the two wordings. */
function plain(wording: (status: number) => string, timeoutMs = SHORT_TIMEOUT_MS): Expect {
  return ({ kind, status, words: serverMessage = "Welcome", retryAfterSeconds }, { misread }) => {
    switch (kind) {
      case "refusal": {
        const asked = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
        return { code: "HTTP_STATUS", message: wording(status), details: { status, serverMessage, ...asked } };
      }
      case "page":
        return { code: "INVALID_JSON", message: "Invalid JSON response", details: { status } };
      case "cut":
        return { code: "NETWORK", message: "Network error" };
      case "silence":
        return { code: "TIMEOUT", message: "Request timed out", details: { timeoutMs } };
      case "surprise":
        return { code: "INVALID_RESPONSE", message: misread };
    }
  };
}

/** Key nodes: refusals in their own words, and three tries where the connection fails. */
const node: Expect = (failure, row) => {
  const { kind, status, words: said } = failure;
  if (status === 404) return { code: "NETWORK", message: "fetch Error", details: { status }, requests: 3 };
  if (kind === "refusal" && said) return { code: "NODE_REFUSED", message: said, details: { status } };
  const retried = kind === "cut" || kind === "silence";
  const outcome = plain(requestWords)(failure, row);
  if (kind === "surprise" && row.sends.length === 5) {
    return { code: "NODE_REFUSED", message: row.misread, details: { node: 1 } };
  }
  return outcome && { ...outcome, requests: retried ? 3 : 1 };
};

/** Three nodes are asked before it is certain that three shards will not be had. */
const shards: Expect = (failure, row) => {
  const one = node(failure, row);
  if (!one) return undefined;
  const requests = 3 * (one.requests ?? 1);
  if (one.code === "NODE_REFUSED") return { ...one, requests };
  const each = failure.kind === "surprise" ? row.misread : one.message;
  const message = new RegExp(
    `^Only 0 of the 3 key shards needed could be fetched \\((node \\d: ${each}(; )?){3}\\)$`.replace("{n}", "\\d"),
  );
  return { code: "NODES_FAILED", message, details: { needed: 3, got: 0 }, requests };
};

/** Calls that continue past a failed node, to the last one. */
const allNodes: Expect = (failure, row) => {
  const one = node(failure, row);
  return one && { ...one, requests: 5 * (one.requests ?? 1) };
};

/** A node that denies the file may belong to the new owner by now, so the owner is requested once. */
const transfer: Expect = (failure, row) => {
  const outcome = allNodes(failure, row);
  const denied = [400, 401, 403].includes(failure.status);
  return outcome && { ...outcome, requests: (outcome.requests ?? 0) + (denied ? 1 : 0) };
};

/** How each kind of call fails; `undefined` where it does not. */
export const profiles: Record<Profile, Expect> = {
  request: plain(requestWords),
  http: plain(httpWords),
  upload: plain(requestWords, TRANSFER_TIMEOUT_MS),
  node,
  allNodes,
  transfer,
  shards,
  jwt(failure, row) {
    const outcome = node(failure, row);
    const refused = outcome?.code === "NODE_REFUSED" || outcome?.code === "HTTP_STATUS" || failure.kind === "surprise";
    return refused ? { code: "INVALID_SIGNATURE", message: "Invalid Signature" } : outcome;
  },
  ticker(failure, row) {
    const outcome = plain(requestWords)(failure, row);
    return outcome && { ...outcome, code: "TICKER_FAILED", message: `Failed to get ticker price: ${outcome.message}` };
  },
  proof(failure, row) {
    if (failure.status !== 400) return plain(requestWords)(failure, row);
    return { code: "PROOF_NOT_READY", message: "Proof Doesn't exist yet", details: { status: 400 } };
  },
  gateway(failure, row) {
    // Any successful answer is a file.
    if (failure.kind === "page" || failure.kind === "surprise") return undefined;
    const outcome = plain(httpWords, TRANSFER_TIMEOUT_MS)(failure, row);
    return failure.kind === "refusal" && outcome ? { ...outcome, details: { status: failure.status } } : outcome;
  },
};
