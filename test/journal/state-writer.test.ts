import { expect, onTestFinished, test, vi } from "vitest";
import { createStateWriter } from "../../src/journal/state-writer.ts";
import { createGate } from "../support/gate.ts";

interface State {
  a: number;
  b: number;
}

test("updates during a write are coalesced into one that has all of them", async () => {
  const written: State[] = [];
  const gate = createGate();
  const writer = createStateWriter<State>({ a: 0, b: 0 }, async (state) => {
    written.push(state);
    await gate.reached;
  });
  const first = writer.update({ a: 1 });
  const others = [writer.update({ a: 2 }), writer.update({ b: 3 }), writer.update({ b: 4 })];
  gate.reach();
  await Promise.all([first, ...others]);
  expect(written).toEqual([
    { a: 1, b: 0 },
    { a: 2, b: 4 },
  ]);
});

test("a failed write fails the updates that it was for, and no later ones", async () => {
  const outcomes = [new Error("full"), undefined];
  const writer = createStateWriter<State>({ a: 0, b: 0 }, async () => {
    const error = outcomes.shift();
    if (error) throw error;
  });
  const failed = writer.update({ a: 1 });
  const later = writer.update({ a: 2 });
  await expect(failed).rejects.toThrow("full");
  await later;
  expect(writer.state).toEqual({ a: 2, b: 0 });
});

test("notes are written together, or at the end", async () => {
  const written: State[] = [];
  const writer = createStateWriter<State>({ a: 0, b: 0 }, async (state) => {
    written.push(state);
  });
  writer.note({ a: 1 });
  writer.note({ b: 1 });
  await vi.waitFor(() => expect(written).toEqual([{ a: 1, b: 1 }]), 50_000);
  writer.note({ b: 2 });
  await writer.end({ writeNotes: true });
  expect(written).toEqual([
    { a: 1, b: 1 },
    { a: 1, b: 2 },
  ]);
  writer.note({ b: 3 });
  await writer.end({ writeNotes: false });
  expect(written).toHaveLength(2);
});

test("notes of a state that takes long to write are written less often", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let writes = 0;
  const writer = createStateWriter<State>({ a: 0, b: 0 }, async () => {
    writes++;
    await new Promise((resolve) => setTimeout(resolve, 20));
  });
  const noteFor = async (ms: number) => {
    const until = Date.now() + ms;
    for (let a = 0; Date.now() < until; a++) {
      writer.note({ a });
      await vi.advanceTimersByTimeAsync(10);
    }
  };
  await noteFor(1_000);
  const first = writes;
  await noteFor(20_000);
  // Every two seconds, a hundred times as long as one takes; once that is known.
  expect([first, writes - first]).toEqual([2, 10]);
});

test("an update right after a write, while the next one is queued, starts no write beside it", async () => {
  let running = 0;
  let most = 0;
  const writer = createStateWriter<State>({ a: 0, b: 0 }, async () => {
    most = Math.max(most, ++running);
    await new Promise(setImmediate);
    running--;
  });
  const first = writer.update({ a: 1 });
  const second = writer.update({ a: 2 });
  const third = first.then(() => writer.update({ a: 3 }));
  await Promise.all([first, second, third]);
  expect(most).toBe(1);
});
