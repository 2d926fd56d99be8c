import { afterEach, expect, test, vi } from "vitest";
import { spool } from "../../src/platform/browser/spool.ts";
import { privateFiles } from "./private-files.ts";

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

afterEach(() => vi.unstubAllGlobals());

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

test("what was written last may come back to be written over, and the file holds each byte", async () => {
  const sink = await spool();
  for (let at = 0; at < 48; at++) await sink.write(new Uint8Array(MIB + 1).fill(at));
  const blob = await (await sink.commit()).blob();
  expect(blob.size).toBe(48 * (MIB + 1));
  const bytes = new Uint8Array(await blob.arrayBuffer());
  for (let at = 0; at < 48; at++) {
    const piece = bytes.subarray(at * (MIB + 1), (at + 1) * (MIB + 1));
    expect(piece.every((byte) => byte === at)).toBe(true);
  }
  await sink.abandon();
  expect(await privateFiles()).toEqual([]);
});
