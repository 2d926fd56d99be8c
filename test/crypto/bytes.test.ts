import { describe, expect, test, vi } from "vitest";
import { decryptBytes, encryptBytes } from "../../src/formats/crypto/bytes.ts";
import { interopVectors } from "../support/vectors.ts";
import { fromBase64, someBytes, toHex } from "./helpers.ts";

const masterKey = "5a".repeat(32);

describe("encryptBytes and decryptBytes", () => {
  test.each([0, 1, 16, 1024 * 1024 + 7])("return the same %i bytes, from a file 44 bytes larger", async (size) => {
    const plaintext = someBytes(size);
    const encrypted = await encryptBytes(plaintext, masterKey);
    expect(encrypted.length).toBe(size + 44);
    const opened = await decryptBytes(encrypted, masterKey);
    expect(opened.length).toBe(size);
    expect(opened.every((byte, index) => byte === plaintext[index])).toBe(true);
  });

  test("open the files of an older client", async () => {
    for (const { ciphertext, masterKey: key, plaintext } of interopVectors.files) {
      expect(toHex(await decryptBytes(fromBase64(ciphertext), key))).toBe(toHex(fromBase64(plaintext)));
    }
  });

  test("leave their input unchanged and return new memory", async () => {
    const plaintext = someBytes(1000);
    const encrypted = await encryptBytes(plaintext.subarray(100), masterKey);
    expect(plaintext).toEqual(someBytes(1000));
    expect(encrypted.buffer).not.toBe(plaintext.buffer);
    expect(encrypted.buffer.byteLength).toBe(944);
    const kept = encrypted.slice();
    const opened = await decryptBytes(encrypted, masterKey);
    opened.fill(0);
    expect(encrypted).toEqual(kept);
  });

  test.skipIf(typeof SharedArrayBuffer === "undefined")("accept memory shared between threads", async () => {
    const shared = new Uint8Array(new SharedArrayBuffer(1024 * 1024 + 3)).fill(9);
    const opened = await decryptBytes(await encryptBytes(shared, masterKey), masterKey);
    expect(opened.length).toBe(shared.length);
    expect(opened.every((byte) => byte === 9)).toBe(true);
  });

  test("refuse a wrong key and damaged or short bytes", async () => {
    const encrypted = await encryptBytes(someBytes(10), masterKey);
    const wrongKey = decryptBytes(encrypted, "a5".repeat(32));
    await expect(wrongKey).rejects.toMatchObject({ code: "CANNOT_DECRYPT" });
    await expect(decryptBytes(encrypted.slice(0, 53), masterKey)).rejects.toMatchObject({ code: "CANNOT_DECRYPT" });
    await expect(decryptBytes(encrypted.slice(0, 43), masterKey)).rejects.toMatchObject({ code: "CANNOT_DECRYPT" });
  });

  test.each([encryptBytes, decryptBytes])("$name refuses values that are not a key or not bytes", async (call) => {
    await expect(call(someBytes(60), "no key")).rejects.toMatchObject({ code: "INVALID_KEY" });
    for (const wrong of ["text", new ArrayBuffer(60), [1, 2, 3], null, undefined]) {
      await expect(call(wrong as unknown as Uint8Array, masterKey)).rejects.toMatchObject({
        code: "INVALID_SOURCE",
        message: expect.stringContaining("expected a Uint8Array"),
      });
    }
  });

  test.each([encryptBytes, decryptBytes])(
    "$name ends when its signal fires, before and while it works",
    async (call) => {
      const reason = new Error("changed my mind");
      const early = call(someBytes(60), masterKey, { signal: AbortSignal.abort(reason) });
      await expect(early).rejects.toMatchObject({ code: "ABORTED", cause: reason });

      const controller = new AbortController();
      const late = call(someBytes(60), masterKey, { signal: controller.signal });
      controller.abort(reason);
      await expect(late).rejects.toMatchObject({ code: "ABORTED", cause: reason });
    },
  );

  test("leave no listener on the signal", async () => {
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, "addEventListener");
    const removed = vi.spyOn(signal, "removeEventListener");
    await decryptBytes(await encryptBytes(someBytes(10), masterKey, { signal }), masterKey, { signal });
    await expect(decryptBytes(someBytes(10), masterKey, { signal })).rejects.toThrow();
    expect(added).toHaveBeenCalledTimes(3);
    expect(removed.mock.calls.map(([, listener]) => listener)).toEqual(
      added.mock.calls.map(([, listener]) => listener),
    );
  });

  test.each([
    [7.5, 0],
    [8, 1],
    [31, 4],
  ])("yield to other tasks after more than 30 ms: for 4 segments of %d ms, %d times", async (ms, stops) => {
    const bytes = new Uint8Array(4 * 512 * 1024);
    let now = 1_000;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
    const cut = bytes.subarray.bind(bytes);
    bytes.subarray = (...args) => {
      now += ms;
      return cut(...args);
    };
    const timers = vi.spyOn(globalThis, "setTimeout");
    try {
      await encryptBytes(bytes, masterKey);
      expect(timers).toHaveBeenCalledTimes(stops);
    } finally {
      timers.mockRestore();
      clock.mockRestore();
    }
  });

  test("yield to other tasks while they run, so that a signal can stop them midway", async () => {
    const controller = new AbortController();
    let now = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 1000));
    let slices = 0;
    const bytes = new Uint8Array(8 * 1024 * 1024);
    const cut = bytes.subarray.bind(bytes);
    bytes.subarray = (...args) => {
      slices++;
      if (slices === 2) setTimeout(() => controller.abort());
      return cut(...args);
    };
    try {
      const stopped = encryptBytes(bytes, masterKey, { signal: controller.signal });
      await expect(stopped).rejects.toMatchObject({ code: "ABORTED" });
    } finally {
      clock.mockRestore();
    }
    expect(slices).toBeLessThan(8);
  });
});
