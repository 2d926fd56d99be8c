import { describe, expect, test } from "vitest";
import { readAheadUntil } from "../../src/base/streams/reading.ts";
import { createGate } from "../support/gate.ts";

/** A source of numbered chunks that counts how many were requested, and whether it was closed. */
function createSource(chunks: number, bytes: number) {
  const state = { pulled: 0, closed: false };
  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      for (let at = 0; at < chunks; at++) {
        state.pulled++;
        yield new Uint8Array(bytes).fill(at);
      }
    } finally {
      state.closed = true;
    }
  }
  return { state, chunks: read() };
}

/** Lets everything run that is not waiting for the test. */
const settle = () => new Promise((resolve) => setTimeout(resolve));

async function listFirstBytes(chunks: AsyncIterable<Uint8Array>): Promise<(number | undefined)[]> {
  const all: (number | undefined)[] = [];
  for await (const [first] of chunks) all.push(first);
  return all;
}

const never = new Promise<never>(() => undefined);

describe("readAheadUntil", () => {
  test("reads up to the limit while nobody consumes, and then every chunk in order", async () => {
    const { state, chunks } = createSource(10, 100);
    const { reached, reach } = createGate();
    const output = readAheadUntil(reached, chunks, 300);
    await settle();
    expect(state.pulled).toBe(3);
    reach();
    await settle();
    expect(state.pulled).toBe(3);
    expect(await listFirstBytes(output)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test("reads nothing ahead once it is ready", async () => {
    const { state, chunks } = createSource(10, 100);
    const output = readAheadUntil(Promise.resolve(), chunks, 1_000);
    await settle();
    expect(state.pulled).toBeLessThanOrEqual(2);
    expect(await listFirstBytes(output)).toHaveLength(10);
  });

  test("keeps the order while the consumer catches up with it", async () => {
    const { chunks } = createSource(50, 1);
    expect(await listFirstBytes(readAheadUntil(never, chunks, 20))).toEqual(Array.from({ length: 50 }, (_, at) => at));
  });

  test("passes a failure on in its turn", async () => {
    async function* fail(): AsyncGenerator<Uint8Array> {
      yield Uint8Array.of(1);
      throw new Error("broken");
    }
    const output = readAheadUntil(never, fail(), 1_000);
    await settle();
    expect((await output.next()).value).toEqual(Uint8Array.of(1));
    await expect(output.next()).rejects.toThrow("broken");
  });

  test("closes the source without waiting for a chunk that never arrives", async () => {
    const { state, chunks } = createSource(10, 100);
    const output = readAheadUntil(never, chunks, 300);
    await settle();
    expect(await output.return?.()).toEqual({ done: true, value: undefined });
    await settle();
    expect(state).toEqual({ pulled: 3, closed: true });
    const waiting = readAheadUntil(
      never,
      (async function* () {
        yield await never;
      })(),
      300,
    );
    await settle();
    expect(await waiting.return?.()).toEqual({ done: true, value: undefined });
  });
});
