import { Wallet } from "ethers";
import { afterEach, beforeEach, describe, expect, inject, test, vi } from "vitest";
import { cdp } from "vitest/browser";
import { createApiKey, createKit, encryptBytes, type Kit, type Progress } from "../../src/index.ts";
import { spool } from "../../src/platform/browser/sinks.ts";
import type { Spooled } from "../../src/platform/types.ts";
import { listPrivateFiles } from "./private-files.ts";

const MIB = 1024 * 1024;
const KEY = "0b".repeat(32);
const { endpoints } = inject("devnet");

/** Changes how the kit's Workers write to their file, by source code that runs before theirs. */
function stubFileHandle(behaviour: string): void {
  const source = `const { write, close, truncate } = FileSystemSyncAccessHandle.prototype;
    const replace = (name, method) => { FileSystemSyncAccessHandle.prototype[name] = method; };
    let writes = 0;
    ${behaviour};`;
  vi.stubGlobal(
    "Worker",
    class extends Worker {
      constructor(url: string) {
        super(URL.createObjectURL(new Blob([source, `importScripts(${JSON.stringify(url)});`])));
      }
    },
  );
}

async function spoolBytes(size: number): Promise<Spooled> {
  const sink = await spool();
  try {
    for (let at = 0; at < size; at += MIB) await sink.write(new Uint8Array(MIB).fill(at / MIB));
    return await sink.commit();
  } catch (error) {
    await sink.abandon();
    throw error;
  }
}

afterEach(async () => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe("in a page with a small storage quota, as in private browsing", () => {
  let kit: Kit<{ apiKey: string }>;

  beforeEach(async () => {
    kit = createKit({ apiKey: await createApiKey({ signer: Wallet.createRandom(), endpoints }), endpoints });
    await cdp().send("Storage.overrideQuotaForOrigin", { origin: location.origin, quotaSize: 40 * MIB });
  });

  afterEach(() => cdp().send("Storage.overrideQuotaForOrigin", { origin: location.origin }));

  test("an upload that does not fit fails before it is sent, and its error has usage and quota", async () => {
    const seen: Progress[] = [];
    const chunks = (async function* () {
      for (let at = 0; at < 64; at++) yield new Uint8Array(MIB);
    })();
    const uploading = kit.upload({ name: "film", stream: chunks }, { onProgress: (progress) => seen.push(progress) });
    await expect(uploading).rejects.toMatchObject({
      code: "CANNOT_WRITE",
      message: expect.stringContaining("no more room for this site"),
      details: { usedBytes: expect.any(Number), quotaBytes: expect.any(Number) },
    });
    expect(new Set(seen.map(({ phase }) => phase))).toEqual(new Set(["preparing"]));
    expect(await listPrivateFiles()).toEqual([]);
  });

  test("a decrypted file that does not fit is not returned with fewer bytes", async () => {
    const [stored] = await kit.upload(new Blob([new Uint8Array(await encryptBytes(new Uint8Array(64 * MIB), KEY))]));
    const decrypting = kit.decrypt(stored?.Hash ?? "", { key: KEY, as: "stream" });
    await expect(decrypting).rejects.toMatchObject({ code: "CANNOT_WRITE" });
    expect(await listPrivateFiles()).toEqual([]);
  });
});

test.each([
  ["more bytes than it received", "replace('write', () => 4294967288)"],
  ["no bytes", "replace('write', () => 0)"],
  ["NaN", "replace('write', () => NaN)"],
  [
    "more bytes than it received, in the last write",
    "replace('write', function (bytes, at) { return ++writes < 128 ? write.call(this, bytes, at) : 4294967288; })",
  ],
])("a write that claims %s is a failure", async (_, behaviour) => {
  stubFileHandle(behaviour);
  await expect(spoolBytes(64 * MIB)).rejects.toMatchObject({ code: "CANNOT_WRITE" });
  expect(await listPrivateFiles()).toEqual([]);
});

test("a file that is truncated when it is closed is a failure", async () => {
  stubFileHandle("replace('close', function () { truncate.call(this, 63 * 2 ** 20); close.call(this); })");
  await expect(spoolBytes(64 * MIB)).rejects.toMatchObject({ code: "CANNOT_WRITE" });
  expect(await listPrivateFiles()).toEqual([]);
});

test("partial writes are continued until all bytes are written", async () => {
  stubFileHandle("replace('write', function (bytes, at) { return write.call(this, bytes.subarray(0, 99_999), at); })");
  const bytes = new Uint8Array(await new Response((await spoolBytes(40 * MIB)).stream()).arrayBuffer());
  expect(bytes.length).toBe(40 * MIB);
  for (let at = 0; at < 40; at++)
    expect(bytes.subarray(at * MIB, (at + 1) * MIB).every((byte) => byte === at)).toBe(true);
});

describe.each([
  ["with", true],
  ["without", false],
])("%s a private file system, a Blob for which the browser's store has no space", (_, hasFiles) => {
  test.each([1, 40])("is an error, not a truncated file: %i MiB", async (size) => {
    if (!hasFiles) vi.stubGlobal("Worker", undefined);
    vi.spyOn(Blob.prototype, "arrayBuffer").mockRejectedValue(new DOMException("gone", "NotReadableError"));
    await expect(spoolBytes(size * MIB)).rejects.toMatchObject({ code: "CANNOT_WRITE" });
    vi.restoreAllMocks();
    expect(await listPrivateFiles()).toEqual([]);
  });
});
