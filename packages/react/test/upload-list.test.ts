import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Progress, UnfinishedError, type UploadedFiles } from "../../../src/index.ts";
import type { UploadCall } from "../src/upload-entry.ts";
import { createUploadList } from "../src/upload-list.ts";

const COUNT = 10_000;
const MAX_AT_ONCE = 2;

/** A running upload, under the control of the test. */
interface Upload {
  onProgress(progress: Progress): void;
  finish(): void;
}

/** A list of {@link COUNT} uploads of which the first two run. */
function createLongList() {
  const running: Upload[] = [];
  const call: UploadCall<object> = (source, { onProgress }) =>
    new Promise((resolve) => {
      const file = { Name: String(source), Hash: "", Size: "1" };
      running.push({ onProgress, finish: () => resolve([file]) });
    });
  const list = createUploadList(() => call);
  let notifications = 0;
  list.subscribe(() => notifications++);
  list.add(
    Array.from({ length: COUNT }, () => new Uint8Array(99)),
    {},
  );
  return { list, running, countNotifications: () => notifications };
}

const toProgress = (fraction: number): Progress => ({ phase: "uploading", loaded: 0, fraction });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a burst of progress of one upload among 10,000 is one notification, and visits no waiting upload", () => {
  const { list, running, countNotifications } = createLongList();
  const waiting = list.state().uploads.slice(MAX_AT_ONCE);
  expect(waiting).toHaveLength(COUNT - MAX_AT_ONCE);
  let visits = 0;
  for (const entry of waiting) {
    const { state } = entry;
    Object.defineProperty(entry, "state", {
      get() {
        visits++;
        return state;
      },
    });
  }

  const before = countNotifications();
  for (let tick = 1; tick <= 500; tick++) {
    for (const { onProgress } of running) onProgress(toProgress(tick / 1000));
  }
  expect(countNotifications()).toBe(before);
  vi.runAllTimers();
  expect(countNotifications()).toBe(before + 1);
  expect(visits).toBe(0);

  const { uploads, total } = list.state();
  expect(uploads.slice(0, MAX_AT_ONCE)).toMatchObject([
    { state: { progress: { fraction: 0.5 } } },
    { state: { progress: { fraction: 0.5 } } },
  ]);
  expect(uploads.slice(MAX_AT_ONCE).every((entry, at) => entry === waiting[at])).toBe(true);
  expect(total).toMatchObject({ count: { running: 2, waiting: COUNT - 2 }, fraction: 1 / COUNT });
  list.close();
});

test("a finished upload is shown at once, and replaces its own entry and the next one's only", async () => {
  const { list, running } = createLongList();
  const before = list.state().uploads;
  running[0]?.onProgress(toProgress(0.5));
  running[0]?.finish();
  await vi.waitFor(() => expect(list.state().total.count.done).toBe(1));
  const changed = list.state().uploads.flatMap((entry, at) => (entry === before[at] ? [] : [at]));
  expect(changed).toEqual([0, 2]);
  expect(list.state().total).toMatchObject({ count: { done: 1, running: 2 }, fraction: 1 / COUNT });
  expect(vi.getTimerCount()).toBe(0);
  list.close();
});

test("a closed list shows nothing, and no timer is left of its progress", () => {
  const { list, running, countNotifications } = createLongList();
  running[0]?.onProgress(toProgress(0.5));
  list.close();
  expect(list.state()).toMatchObject({ uploads: [], total: { fraction: 0, active: false } });
  const closed = countNotifications();
  running[0]?.onProgress(toProgress(0.7));
  vi.runAllTimers();
  expect(countNotifications()).toBe(closed);
});

test("the totals of 10,000 uploads are exact: 1 when all are done, and 0 bytes when all are aborted", async () => {
  const { list, running } = createLongList();
  for (let at = 0; at < COUNT; at++) {
    running[at]?.onProgress(toProgress(1 / 3));
    running[at]?.finish();
    await vi.advanceTimersByTimeAsync(0);
  }
  expect(list.state().total).toMatchObject({ count: { done: COUNT }, size: 99 * COUNT, fraction: 1, active: false });
  list.clear();
  const ids = list.add([new Uint8Array(5), new Uint8Array(6), new Uint8Array(7)], {});
  list.abort();
  expect(list.state().total).toMatchObject({ count: { aborted: 3 }, size: 0, fraction: 0, active: false });
  list.retry(ids[2]);
  list.retry();
  expect(list.state().uploads.map(({ state }) => state.status)).toEqual(["running", "waiting", "running"]);
  list.close();
});

test("a retry waits for the aborted run: what that has stored after all is not uploaded again", async () => {
  const finishers: (() => void)[] = [];
  const call: UploadCall<object> = () =>
    new Promise((resolve) => finishers.push(() => resolve([{ Name: "a", Hash: "b", Size: "1" }])));
  const list = createUploadList(() => call);
  const [id = ""] = list.add([new Uint8Array(9)], {});
  list.abort(id);
  list.retry(id);
  expect(finishers).toHaveLength(1);
  finishers[0]?.();
  await vi.waitFor(() => expect(list.getEntry(id)?.state).toMatchObject({ status: "done", files: [{ Hash: "b" }] }));
  expect(finishers).toHaveLength(1);
});

/** A list whose uploads end as the test says, and what happened to their places. */
function createRecordedList(record: () => Promise<void> = async () => undefined) {
  const finishers: (() => void)[] = [];
  const events: string[] = [];
  const call: UploadCall<object> = () =>
    new Promise((resolve) => finishers.push(() => resolve([{ Name: "a", Hash: "b", Size: "1" }])));
  const list = createUploadList<object>(() => call, {
    record: async (sources) => {
      await record();
      return sources.map((_, at) => ({
        journal: { place: "" },
        leave: async () => void events.push(`${at} leaves`),
        release: async () => void events.push(`${at} is released`),
      }));
    },
  });
  list.setMaxAtOnce(1);
  return { list, finishers, events };
}

test("a page that ends releases an upload once it has ended: it may have been stored too late to be aborted", async () => {
  const { list, finishers, events } = createRecordedList();
  list.add([new Uint8Array(9), new Uint8Array(9)], {});
  await vi.waitFor(() => expect(finishers).toHaveLength(1));
  list.close();
  await vi.waitFor(() => expect(events).toEqual(["1 is released"]));
  finishers[0]?.();
  await vi.waitFor(() => expect(events).toEqual(["1 is released", "0 leaves", "0 is released"]));
});

test("a retry of all runs them in the order in which they are shown, whatever the order in which they were added", async () => {
  const records: (() => void)[] = [];
  const { list } = createRecordedList(() => new Promise((resolve) => records.push(resolve)));
  list.add([Uint8Array.of(1)], {});
  list.add([Uint8Array.of(2)], {});
  // The second one is recorded, and shown, first.
  for (const finish of records.reverse()) {
    finish();
    await vi.advanceTimersByTimeAsync(0);
  }
  expect(list.state().uploads.map(({ source }) => String(source))).toEqual(["2", "1"]);
  list.abort();
  list.retry();
  expect(list.state().uploads.map(({ state }) => state.status)).toEqual(["running", "waiting"]);
  list.close();
});

test("several are retried by their ids: recorded together, the others stay", async () => {
  let isFull = true;
  let records = 0;
  const { list, finishers, events } = createRecordedList(async () => {
    records++;
    if (isFull) throw new Error("the disk is full");
  });
  const ids = list.add([new Uint8Array(9), new Uint8Array(9), new Uint8Array(9)], {});
  await vi.waitFor(() => expect(list.state().total.count.failed).toBe(3));
  isFull = false;
  list.retry([]);
  list.retry([ids[0] ?? "", ids[2] ?? ""]);
  await vi.waitFor(() => expect(list.state().total.count).toMatchObject({ running: 1, waiting: 1, failed: 1 }));
  expect(list.getEntry(ids[1] ?? "")?.state.status).toBe("failed");
  expect(records).toBe(2);
  list.clear();
  list.clear(ids[2]);
  finishers[0]?.();
  await vi.waitFor(() => expect(events.toSorted()).toEqual(["0 leaves", "1 leaves"]));
});

test("what could not be recorded is recorded by a retry, before it is shown as waiting, and once", async () => {
  let isFull = true;
  let records = 0;
  const { list, finishers, events } = createRecordedList(async () => {
    records++;
    if (isFull) throw new Error("the disk is full");
  });
  const ids = list.add([new Uint8Array(9), new Uint8Array(9)], {});
  await vi.waitFor(() => expect(list.state().total.count.failed).toBe(2));
  list.retry();
  await vi.waitFor(() => expect(records).toBe(2));
  await vi.waitFor(() => expect(list.state().total.count.failed).toBe(2));
  expect(finishers).toEqual([]);
  isFull = false;
  list.retry();
  list.retry(ids[0]);
  expect(list.state().total.count.waiting).toBe(0);
  await vi.waitFor(() => expect(list.state().total.count).toMatchObject({ running: 1, waiting: 1 }));
  expect(records).toBe(3);
  list.clear(ids[1]);
  finishers[0]?.();
  await vi.waitFor(() => expect(events.toSorted()).toEqual(["0 leaves", "1 leaves"]));
});

test.each([
  [{ payPerUpload: {} }, [1, 1]],
  [{ payPerUpload: undefined }, [2, 0]],
])("a retry with %j resumes what may be paid for: it would be paid for again", async (options, expected) => {
  const stored: UploadedFiles = [{ Name: "a", Hash: "b", Size: "1" }];
  const resume = vi.fn(async () => stored);
  const error = new UnfinishedError("NETWORK", "Network error", {
    details: { method: "POST", url: "", bodySent: true, names: ["a"] },
    resume,
  });
  const call = vi.fn(async () => stored).mockRejectedValueOnce(error);
  const list = createUploadList<object>(() => call);
  list.add([new Uint8Array(1)], options);
  await vi.waitFor(() => expect(list.state().total.count.failed).toBe(1));
  list.retry();
  await vi.waitFor(() => expect(list.state().total.count.done).toBe(1));
  expect([call.mock.calls.length, resume.mock.calls.length]).toEqual(expected);
});
