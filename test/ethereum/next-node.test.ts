import { expect, test } from "vitest";
import type { KeeplightError } from "../../src/base/errors/base.ts";
import { invalidOption } from "../../src/base/errors/input.ts";
import { rpcRefused, unreadableResponse, wrongChain } from "../../src/base/errors/payment.ts";
import { aborted, httpStatus, networkError, timedOut } from "../../src/base/errors/transport.ts";
import { addFailure, type NodeTries, nextNode, untried } from "../../src/network/ethereum/rpc-pool.ts";

const facts = { method: "eth_blockNumber", url: "http://node" };
const refuse = (code: number | undefined, message: string, data?: string) =>
  rpcRefused("eth_call", { code, message, data });
const http = (status: number, retryAfterSeconds?: number) =>
  httpStatus(facts, status, "request", retryAfterSeconds === undefined ? {} : { retryAfterSeconds });

/** Sends one call to nodes that fail with these errors, each forever; lists nodes and waits, with the least random. */
function trace(failures: readonly KeeplightError[], first = 0): [node: number, delayMs: number][] {
  let states: readonly NodeTries[] = failures.map(() => untried);
  const calls: [number, number][] = [];
  for (;;) {
    const choice = nextNode(states, { first, maxTries: 4, random: 0 });
    const failure = choice && failures[choice.node];
    if (!failure) return calls;
    calls.push([choice.node, choice.delayMs]);
    const state = addFailure(untried, failure) && addFailure(states[choice.node] ?? untried, failure);
    if (!state) return calls;
    states = states.map((before, node) => (node === choice.node ? state : before));
  }
}

test("a call is sent to one node four times, after longer and longer waits", () => {
  expect(trace([networkError(facts, undefined)])).toEqual([
    [0, 0],
    [0, 100],
    [0, 200],
    [0, 400],
  ]);
});

test("every node is tried once before any is tried again, from the preferred one on", () => {
  const calls = trace([http(429), http(503), networkError(facts, undefined)], 1);
  expect(calls.slice(0, 5)).toEqual([
    [1, 0],
    [2, 0],
    [0, 0],
    [1, 100],
    [2, 100],
  ]);
  expect(calls).toHaveLength(12);
});

test("a node that is on another chain or does not respond in time is tried once", () => {
  const calls = trace([wrongChain("The node", 1, 2n), timedOut(facts, 1), http(404)]);
  expect(calls.map(([node]) => node)).toEqual([0, 1, 2]);
});

test.each([
  refuse(-32_005, "query returned more than 10000 results"),
  refuse(-32_601, "the method does not exist"),
  refuse(-32_000, "missing trie node 0x12"),
  refuse(-32_000, "header not found"),
])("a node that is unable to carry out a call is tried once: %s", (error) => {
  expect(trace([error, error]).map(([node]) => node)).toEqual([0, 1]);
});

test("Retry-After is waited for in addition, unless it is too long", () => {
  expect(trace([http(429, 2)])).toEqual([
    [0, 0],
    [0, 2100],
    [0, 2200],
    [0, 2400],
  ]);
  expect(trace([http(429, 6)])).toEqual([[0, 0]]);
});

test.each([
  networkError(facts, undefined),
  unreadableResponse("eth_call"),
  http(500),
  refuse(-32_005, "limit exceeded"),
  refuse(-32_603, "Internal error"),
  refuse(-32_000, "Too many requests, try later"),
  rpcRefused("eth_call", { code: -32_000, message: "no", data: undefined }, { status: 429 }),
])("is tried again: %s", (error) => {
  expect(addFailure(untried, error)).toEqual({ tries: 1, isOut: false, retryAfterMs: 0 });
});

test.each([
  aborted(undefined),
  invalidOption("rpc", "a URL"),
  refuse(3, "execution reverted", "0x08c379a0"),
  refuse(-32_603, "execution reverted"),
  refuse(-32_000, "nonce too low"),
  refuse(-32_603, "insufficient funds for gas * price + value"),
  new Error("a bug"),
])("is thrown at once, as no node would carry it out: %s", (error) => {
  expect(addFailure(untried, error)).toBeUndefined();
});
