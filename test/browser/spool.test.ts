import { afterEach, expect, test, vi } from "vitest";
import { spool } from "../../src/platform/browser/sinks.ts";
import { changePrivateFiles, listPrivateFiles, readPrivateFiles } from "./private-files.ts";

type PageFolder = typeof import("../../src/platform/browser/page-folder.ts");

const MIB = 1024 * 1024;

/** A Worker whose disk is full after a number of writes. */
function createWorkerWithRoomFor(writes: number): typeof Worker {
  return class extends Worker {
    #left = writes;
    override postMessage(message: unknown, options?: unknown): void {
      const request = message as { write?: Uint8Array };
      const isFull = request.write !== undefined && this.#left-- <= 0;
      super.postMessage(isFull ? { ...request, write: { length: 1 } } : request, options as Transferable[]);
    }
  };
}

/** A Worker that is terminated after a number of writes, with or without an error event for the page. */
function createWorkerTerminatedAfter(writes: number, isReported: boolean): typeof Worker {
  return class extends Worker {
    #left = writes;
    override postMessage(message: unknown, options?: unknown): void {
      super.postMessage(message, options as Transferable[]);
      if ((message as { write?: Uint8Array }).write === undefined || this.#left-- > 0) return;
      this.terminate();
      if (isReported) this.dispatchEvent(new Event("error"));
    }
  };
}

/** A Worker that is terminated, without any event, before it can open its file. */
function createStillbornWorker(onTerminated: () => void): typeof Worker {
  return class extends Worker {
    override postMessage(): void {
      this.terminate();
      onTerminated();
    }
  };
}

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

// Up to 32 MiB stay in memory; the last write of 48 MiB is the 96th.
test.each([0, 70, 95])("a full disk after %i writes is CANNOT_WRITE, and leaves nothing", async (writes) => {
  vi.stubGlobal("Worker", createWorkerWithRoomFor(writes));
  const sink = await spool();
  const fill = async () => {
    for (let size = 0; size < 48 * MIB; size += MIB) await sink.write(new Uint8Array(MIB));
    await sink.commit();
  };
  await expect(fill()).rejects.toMatchObject({ code: "CANNOT_WRITE" });
  await sink.abandon();
  expect(await listPrivateFiles()).toEqual([]);
});

test.each([
  [0, true],
  [70, true],
  [95, true],
  [0, false],
  [70, false],
  [95, false],
])(
  "a Worker terminated after %i writes (reported: %s) is CANNOT_WRITE, and leaves nothing",
  async (writes, isReported) => {
    vi.stubGlobal("Worker", createWorkerTerminatedAfter(writes, isReported));
    const sink = await spool();
    const fill = async () => {
      for (let size = 0; size < 48 * MIB; size += MIB) await sink.write(new Uint8Array(MIB));
      await sink.commit();
    };
    await expect(fill()).rejects.toMatchObject({ code: "CANNOT_WRITE" });
    await sink.abandon();
    expect(await listPrivateFiles()).toEqual([]);
  },
);

test("if a Worker is terminated before it has opened its file, the bytes are kept without it", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const terminated = new Promise<void>((resolve) => vi.stubGlobal("Worker", createStillbornWorker(resolve)));
  const sink = await spool();
  const fill = async () => {
    for (let at = 0; at < 48; at++) await sink.write(new Uint8Array(MIB).fill(at));
    return sink.commit();
  };
  const filled = fill();
  await terminated;
  vi.runOnlyPendingTimers();
  const bytes = new Uint8Array(await new Response((await filled).stream()).arrayBuffer());
  expect(bytes.length).toBe(48 * MIB);
  for (let at = 0; at < 48; at++)
    expect(bytes.subarray(at * MIB, (at + 1) * MIB).every((byte) => byte === at)).toBe(true);
  expect(await listPrivateFiles()).toEqual([]);
});

test("a page without permission for locks fails to open a folder, instead of waiting for one", async () => {
  vi.spyOn(navigator.locks, "request").mockRejectedValue(new DOMException("denied", "SecurityError"));
  const url = new URL("../../src/platform/browser/page-folder.ts?fresh", import.meta.url).href;
  const { openPageFolder } = (await import(/* @vite-ignore */ url)) as PageFolder;
  await expect(openPageFolder()).rejects.toMatchObject({ name: "SecurityError" });
});

test("buffers may be reused after a write, and every byte is read back", async () => {
  const sink = await spool();
  for (let at = 0; at < 48; at++) await sink.write(new Uint8Array(MIB + 1).fill(at));
  const spooled = await sink.commit();
  const bytes = new Uint8Array(await new Response(spooled.stream()).arrayBuffer());
  expect(bytes.length).toBe(48 * (MIB + 1));
  for (let at = 0; at < 48; at++) {
    const chunk = bytes.subarray(at * (MIB + 1), (at + 1) * (MIB + 1));
    expect(chunk.every((byte) => byte === at)).toBe(true);
  }
  expect(await listPrivateFiles()).toEqual([]);
});

test.each([0, 1, 512 * 1024 - 17, 512 * 1024 - 16, 512 * 1024 - 15, MIB])("%i bytes are read back", async (size) => {
  const bytes = Uint8Array.from({ length: size }, (_, at) => at * 7);
  const sink = await spool();
  await sink.write(bytes);
  const read = new Uint8Array(await new Response((await sink.commit()).stream()).arrayBuffer());
  expect(read.length).toBe(size);
  expect(read.every((byte, at) => byte === bytes[at])).toBe(true);
});

test("what is kept of a stream is encrypted, and removed when the stream is cancelled", async () => {
  const sink = await spool();
  for (let at = 0; at < 40; at++) await sink.write(new Uint8Array(MIB).fill(97));
  const stream = (await sink.commit()).stream();
  const [file, ...others] = await readPrivateFiles();
  expect(others).toEqual([]);
  expect(file?.length).toBeGreaterThan(40 * MIB);
  const counts = new Uint32Array(256);
  for (const byte of file ?? []) counts[byte] = (counts[byte] ?? 0) + 1;
  expect(Math.max(...counts) / (file?.length ?? 0)).toBeLessThan(1 / 200);
  await stream.cancel();
  expect(await listPrivateFiles()).toEqual([]);
});

test("a kept file that another page of the site has changed is an error, and is not returned", async () => {
  const sink = await spool();
  for (let at = 0; at < 40; at++) await sink.write(new Uint8Array(MIB));
  const spooled = await sink.commit();
  await changePrivateFiles();
  // A failure prints the value: a number, not the bytes.
  const countBytes = async () => (await new Response(spooled.stream()).arrayBuffer()).byteLength;
  await expect(countBytes()).rejects.toThrow();
  expect(await listPrivateFiles()).toEqual([]);
});
