import { Wallet } from "ethers";
import { afterEach, beforeEach, describe, expect, inject, test, vi } from "vitest";
import { cdp } from "vitest/browser";
import { createApiKey, createKit, encryptBytes, type Kit, type Progress, upload } from "../../src/index.ts";
import { spool } from "../../src/platform/browser/spool.ts";
import type { Spooled } from "../../src/platform/types.ts";
import { privateFiles } from "./private-files.ts";

const MIB = 1024 * 1024;
const KEY = "0b".repeat(32);
const { endpoints } = inject("devnet");

/** What the kit's Workers do to the file that they write: source text that runs before their own. */
function withFileThat(behaviour: string): void {
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

async function spooled(size: number): Promise<Spooled> {
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

describe("in a page whose quota for files is used up, off the record", () => {
  let kit: Kit;

  beforeEach(async () => {
    kit = createKit({ apiKey: await createApiKey({ signer: Wallet.createRandom(), endpoints }), endpoints });
    await cdp().send("Storage.overrideQuotaForOrigin", { origin: location.origin, quotaSize: 40 * MIB });
  });

  afterEach(() => cdp().send("Storage.overrideQuotaForOrigin", { origin: location.origin }));

  test("an upload that is prepared there fails before it is sent, and says how much room there is", async () => {
    const seen: Progress[] = [];
    const pieces = (async function* () {
      for (let at = 0; at < 64; at++) yield new Uint8Array(MIB);
    })();
    const uploading = kit.upload({ name: "film", stream: pieces }, { onProgress: (progress) => seen.push(progress) });
    await expect(uploading).rejects.toMatchObject({
      code: "CANNOT_WRITE",
      message: expect.stringContaining("no more room for this site"),
      details: { usedBytes: expect.any(Number), quotaBytes: expect.any(Number) },
    });
    expect(new Set(seen.map(({ phase }) => phase))).toEqual(new Set(["preparing"]));
    expect(await privateFiles()).toEqual([]);
  });

  test("a decrypted file that is kept there is not given out with fewer bytes", async () => {
    const [stored] = await kit.upload(new Blob([new Uint8Array(await encryptBytes(new Uint8Array(64 * MIB), KEY))]));
    const opening = kit.decrypt(stored?.Hash ?? "", { key: KEY, as: "stream" });
    await expect(opening).rejects.toMatchObject({ code: "CANNOT_WRITE" });
    expect(await privateFiles()).toEqual([]);
  });
});

test.each([
  ["more bytes than it was given", "replace('write', () => 4294967288)"],
  ["no bytes", "replace('write', () => 0)"],
  ["something that is no number", "replace('write', () => NaN)"],
  [
    "more bytes than it was given, in the last write",
    "replace('write', function (bytes, at) { return ++writes < 128 ? write.call(this, bytes, at) : 4294967288; })",
  ],
])("a write that claims %s is a failure", async (_, behaviour) => {
  withFileThat(behaviour);
  await expect(spooled(64 * MIB)).rejects.toMatchObject({ code: "CANNOT_WRITE" });
  expect(await privateFiles()).toEqual([]);
});

test("a file that lost its end by the time it is closed is a failure", async () => {
  withFileThat("replace('close', function () { truncate.call(this, 63 * 2 ** 20); close.call(this); })");
  await expect(spooled(64 * MIB)).rejects.toMatchObject({ code: "CANNOT_WRITE" });
  expect(await privateFiles()).toEqual([]);
});

test("where each write takes a part of its bytes only, the rest follows", async () => {
  withFileThat("replace('write', function (bytes, at) { return write.call(this, bytes.subarray(0, 99_999), at); })");
  const bytes = new Uint8Array(await new Response((await spooled(40 * MIB)).stream()).arrayBuffer());
  expect(bytes.length).toBe(40 * MIB);
  for (let at = 0; at < 40; at++)
    expect(bytes.subarray(at * MIB, (at + 1) * MIB).every((byte) => byte === at)).toBe(true);
});

describe.each([
  ["with", true],
  ["without", false],
])("%s a private file system, a Blob that finds no room in the browser's store", (_, hasFiles) => {
  test.each([1, 40])("is told, not given out: %i MiB", async (size) => {
    if (!hasFiles) vi.stubGlobal("Worker", undefined);
    vi.spyOn(Blob.prototype, "arrayBuffer").mockRejectedValue(new DOMException("gone", "NotReadableError"));
    await expect(spooled(size * MIB)).rejects.toMatchObject({ code: "CANNOT_WRITE" });
    vi.restoreAllMocks();
    expect(await privateFiles()).toEqual([]);
  });
});

test("an upload of a file that is gone by then says so, not that the network failed", async () => {
  const root = await navigator.storage.getDirectory();
  const handle = await root.getFileHandle("gone.txt", { create: true });
  const writable = await handle.createWritable();
  await writable.write("soon gone");
  await writable.close();
  const file = await handle.getFile();
  await root.removeEntry("gone.txt");
  const apiKey = await createApiKey({ signer: Wallet.createRandom(), endpoints });
  await expect(upload([new Blob(["here"]), file], { apiKey, endpoints })).rejects.toMatchObject({
    code: "SOURCE_UNREADABLE",
    details: { name: "gone.txt" },
  });
});
