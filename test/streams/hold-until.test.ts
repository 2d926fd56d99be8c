import { describe, expect, test } from "vitest";
import { holdUntil } from "../../src/base/streams/reading.ts";
import { createGate } from "../support/gate.ts";

/** A sink that remembers the first byte of each chunk, and takes none before it is opened. */
function createSink() {
  const { reached: opened, reach: open } = createGate();
  const received: (number | undefined)[] = [];
  const write = async ([first]: Uint8Array) => {
    await opened;
    received.push(first);
  };
  return { received, open, write };
}

/** Lets everything run that is not waiting for the test. */
const settle = () => new Promise((resolve) => setTimeout(resolve));

const never = new Promise<never>(() => undefined);
const createChunk = (number: number) => new Uint8Array(100).fill(number);

describe("holdUntil", () => {
  test("takes chunks up to the limit, and one more, while the sink takes none", async () => {
    const { reached, reach } = createGate();
    const sink = createSink();
    const { write, flush } = holdUntil(reached, 300, sink);
    let taken = 0;
    const writing = (async () => {
      for (let number = 0; number < 10; number++) {
        await write(createChunk(number));
        taken++;
      }
      await flush();
    })();
    await settle();
    expect(taken).toBe(3);
    reach();
    await settle();
    expect(taken).toBe(3);
    sink.open();
    await writing;
    expect(sink.received).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test("holds nothing once it is ready", async () => {
    const sink = createSink();
    sink.open();
    const { write } = holdUntil(Promise.resolve(), 1_000, sink);
    await settle();
    await write(createChunk(1));
    expect(sink.received).toEqual([1]);
  });

  test("passes on what it holds at the end", async () => {
    const sink = createSink();
    sink.open();
    const { write, flush } = holdUntil(never, 1_000, sink);
    for (const number of [1, 2, 3]) await write(createChunk(number));
    expect(sink.received).toEqual([]);
    await flush();
    expect(sink.received).toEqual([1, 2, 3]);
  });

  test("throws what the sink throws, also once what it waits for has failed", async () => {
    const failure = new Error("broken");
    const write = () => Promise.reject(failure);
    const held = holdUntil(Promise.reject(failure), 1_000, { write });
    await settle();
    await expect(held.write(createChunk(1))).rejects.toBe(failure);
  });
});
