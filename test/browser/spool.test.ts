import { afterEach, expect, test, vi } from "vitest";
import { spool } from "../../src/platform/browser/spool.ts";
import { changePrivateFiles, privateFiles, readPrivateFiles } from "./private-files.ts";

type PageFolder = typeof import("../../src/platform/browser/page-folder.ts");

const MIB = 1024 * 1024;

/** A Worker that cannot write the last bytes it is given: the disk has room for so many writes only. */
function workerWithRoomFor(writes: number): typeof Worker {
  return class extends Worker {
    #left = writes;
    override postMessage(message: unknown, options?: unknown): void {
      const asked = message as { write?: Uint8Array };
      const full = asked.write !== undefined && this.#left-- <= 0;
      super.postMessage(full ? { ...asked, write: { length: 1 } } : asked, options as Transferable[]);
    }
  };
}

/** A Worker that something ends after so many writes, which the page hears of or not. */
function workerEndedAfter(writes: number, isReported: boolean): typeof Worker {
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

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

// Up to 32 MiB are kept in memory; of 48 the last write is the 96th.
test.each([0, 70, 95])("a page whose disk is full after %i writes says so, and leaves nothing", async (writes) => {
  vi.stubGlobal("Worker", workerWithRoomFor(writes));
  const sink = await spool();
  const fill = async () => {
    for (let size = 0; size < 48 * MIB; size += MIB) await sink.write(new Uint8Array(MIB));
    await sink.commit();
  };
  await expect(fill()).rejects.toMatchObject({ code: "CANNOT_WRITE" });
  await sink.abandon();
  expect(await privateFiles()).toEqual([]);
});

test.each([
  [0, true],
  [70, true],
  [95, true],
  [0, false],
  [70, false],
  [95, false],
])(
  "a page whose Worker is ended after %i writes (reported: %s) says so, and leaves nothing",
  async (writes, isReported) => {
    vi.stubGlobal("Worker", workerEndedAfter(writes, isReported));
    const sink = await spool();
    const fill = async () => {
      for (let size = 0; size < 48 * MIB; size += MIB) await sink.write(new Uint8Array(MIB));
      await sink.commit();
    };
    await expect(fill()).rejects.toMatchObject({ code: "CANNOT_WRITE" });
    await sink.abandon();
    expect(await privateFiles()).toEqual([]);
  },
);

test("a page to which locks are refused has no folder, instead of waiting for one", async () => {
  vi.spyOn(navigator.locks, "request").mockRejectedValue(new DOMException("denied", "SecurityError"));
  const url = new URL("../../src/platform/browser/page-folder.ts?fresh", import.meta.url).href;
  const { openPageFolder } = (await import(/* @vite-ignore */ url)) as PageFolder;
  await expect(openPageFolder()).rejects.toMatchObject({ name: "SecurityError" });
});

test("what was written last may come back to be written over, and each byte is given again", async () => {
  const sink = await spool();
  for (let at = 0; at < 48; at++) await sink.write(new Uint8Array(MIB + 1).fill(at));
  const spooled = await sink.commit();
  const bytes = new Uint8Array(await new Response(spooled.stream()).arrayBuffer());
  expect(bytes.length).toBe(48 * (MIB + 1));
  for (let at = 0; at < 48; at++) {
    const piece = bytes.subarray(at * (MIB + 1), (at + 1) * (MIB + 1));
    expect(piece.every((byte) => byte === at)).toBe(true);
  }
  expect(await privateFiles()).toEqual([]);
});

test.each([0, 1, 512 * 1024 - 17, 512 * 1024 - 16, 512 * 1024 - 15, MIB])("%i bytes are given again", async (size) => {
  const bytes = Uint8Array.from({ length: size }, (_, at) => at * 7);
  const sink = await spool();
  await sink.write(bytes);
  const given = new Uint8Array(await new Response((await sink.commit()).stream()).arrayBuffer());
  expect(given.length).toBe(size);
  expect(given.every((byte, at) => byte === bytes[at])).toBe(true);
});

test("what is kept of a stream tells nothing, and goes when the stream is cancelled", async () => {
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
  expect(await privateFiles()).toEqual([]);
});

test("a kept file that another page of the site has changed is told, not given out", async () => {
  const sink = await spool();
  for (let at = 0; at < 40; at++) await sink.write(new Uint8Array(MIB));
  const spooled = await sink.commit();
  await changePrivateFiles();
  await expect(new Response(spooled.stream()).arrayBuffer()).rejects.toThrow();
  expect(await privateFiles()).toEqual([]);
});
