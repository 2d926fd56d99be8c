import { HttpResponse } from "msw";
import { vi } from "vitest";
import type { Profile, Row } from "./row.ts";

const SHORT_TIMEOUT_MS = 8_000;
const TRANSFER_TIMEOUT_MS = 7_200_000;

/** A way in which a service fails. */
export interface Failure {
  name: string;
  kind: "refusal" | "page" | "cut" | "silence" | "surprise";
  status: number;
  /** Message in the JSON of a refusal. */
  reason?: string;
  retryAfterSeconds?: number;
  respond(): Response | Promise<Response>;
}

/** How a call must fail. */
export interface Outcome {
  code: string;
  message: string | RegExp;
  details?: Record<string, unknown>;
  /** Number of requests before it fails. Default 1. */
  requests?: number;
}

const reason = "No such luck";
const html = "<!doctype html><html><head><title>Welcome</title></head><body>Hello</body></html>";

function createRefusal(status: number, retryAfterSeconds?: number): Failure {
  const headers = retryAfterSeconds === undefined ? {} : { "Retry-After": String(retryAfterSeconds) };
  return {
    name: retryAfterSeconds === undefined ? `${status}` : `${status} with Retry-After`,
    kind: "refusal",
    status,
    reason,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    respond: () => HttpResponse.json({ message: { message: reason } }, { status, headers }),
  };
}

export const failures: Failure[] = [
  createRefusal(400),
  createRefusal(401),
  createRefusal(403),
  createRefusal(404),
  createRefusal(429, 7),
  createRefusal(500),
  {
    name: "an HTML page with 502",
    kind: "refusal",
    status: 502,
    respond: () => HttpResponse.html(html, { status: 502 }),
  },
  { name: "an HTML page instead of JSON", kind: "page", status: 200, respond: () => HttpResponse.html(html) },
  { name: "truncated JSON", kind: "page", status: 200, respond: () => respondWithText('{"message": "suc') },
  { name: "a connection that breaks", kind: "cut", status: 200, respond: () => new HttpResponse(createBrokenBody()) },
  { name: "JSON of another kind", kind: "surprise", status: 200, respond: () => HttpResponse.json({ surprise: true }) },
  { name: "no response", kind: "silence", status: 0, respond: timeOut },
];

function respondWithText(body: string): Response {
  return new HttpResponse(body, { headers: { "Content-Type": "application/json" } });
}

/** Never responds. Advances the test's clock by the longest time limit as soon as the request has arrived. */
function timeOut(): Promise<Response> {
  vi.advanceTimersByTime(TRANSFER_TIMEOUT_MS);
  return new Promise<Response>(() => undefined);
}

/** Creates a body that fails after its first bytes. */
function createBrokenBody(): ReadableStream<Uint8Array> {
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

const formatRequestStatus = (status: number): string => `Request failed with status code ${status}`;
const formatHttpStatus = (status: number): string => `HTTP error! status: ${status}`;

/** Calls of the API host and the upload node, which have one of two messages for a status. */
function plain(formatStatus: (status: number) => string, timeoutMs = SHORT_TIMEOUT_MS): Expect {
  return ({ kind, status, reason: serverMessage = "Welcome", retryAfterSeconds }, { invalidMessage }) => {
    switch (kind) {
      case "refusal": {
        const retryAfter = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
        return {
          code: "HTTP_STATUS",
          message: formatStatus(status),
          details: { status, serverMessage, ...retryAfter },
        };
      }
      case "page":
        return { code: "INVALID_JSON", message: "Invalid JSON response", details: { status } };
      case "cut":
        return { code: "NETWORK", message: "Network error" };
      case "silence":
        return { code: "TIMEOUT", message: "Request timed out", details: { timeoutMs } };
      case "surprise":
        return { code: "INVALID_RESPONSE", message: invalidMessage };
    }
  };
}

/** Key nodes: refusals keep the node's message; failed connections are tried three times. */
const node: Expect = (failure, row) => {
  const { kind, status, reason: message } = failure;
  if (status === 404) return { code: "NETWORK", message: "fetch Error", details: { status }, requests: 3 };
  if (kind === "refusal" && message) return { code: "NODE_REFUSED", message, details: { status } };
  const retried = kind === "cut" || kind === "silence";
  const outcome = plain(formatRequestStatus)(failure, row);
  if (kind === "surprise" && row.requests.length === 5) {
    return { code: "NODE_REFUSED", message: row.invalidMessage, details: { node: 1 } };
  }
  return outcome && { ...outcome, requests: retried ? 3 : 1 };
};

/** Three nodes are queried before it is certain that three shards cannot be fetched. */
const shards: Expect = (failure, row) => {
  const one = node(failure, row);
  if (!one) return undefined;
  const requests = 3 * (one.requests ?? 1);
  if (one.code === "NODE_REFUSED") return { ...one, requests };
  const each = failure.kind === "surprise" ? row.invalidMessage : one.message;
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

/** How each kind of call fails; `undefined` if it does not. */
export const profiles: Record<Profile, Expect> = {
  request: plain(formatRequestStatus),
  http: plain(formatHttpStatus),
  upload: plain(formatRequestStatus, TRANSFER_TIMEOUT_MS),
  node,
  allNodes,
  transfer,
  shards,
  pin(failure, row) {
    // The network documents no fields of the confirmation.
    return failure.kind === "surprise" ? undefined : plain(formatRequestStatus)(failure, row);
  },
  jwt(failure, row) {
    const outcome = node(failure, row);
    const refused = outcome?.code === "NODE_REFUSED" || outcome?.code === "HTTP_STATUS" || failure.kind === "surprise";
    return refused ? { code: "INVALID_SIGNATURE", message: "Invalid Signature" } : outcome;
  },
  ticker(failure, row) {
    const outcome = plain(formatRequestStatus)(failure, row);
    return outcome && { ...outcome, code: "TICKER_FAILED", message: `Failed to get ticker price: ${outcome.message}` };
  },
  proof(failure, row) {
    if (failure.status !== 400) return plain(formatRequestStatus)(failure, row);
    return { code: "PROOF_NOT_READY", message: "Proof Doesn't exist yet", details: { status: 400 } };
  },
  gateway(failure, row) {
    // Any successful response is a file.
    if (failure.kind === "page" || failure.kind === "surprise") return undefined;
    const outcome = plain(formatHttpStatus, TRANSFER_TIMEOUT_MS)(failure, row);
    return failure.kind === "refusal" && outcome ? { ...outcome, details: { status: failure.status } } : outcome;
  },
};
