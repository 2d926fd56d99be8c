import { Wallet } from "ethers";
import { expect, inject, test } from "vitest";
import { createApiKey, createKit, type Progress } from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { listPrivateFiles } from "./private-files.ts";

const MIB = 1024 * 1024;
const { endpoints: plain } = inject("devnet");
const { endpoints, broken, http1 } = inject("secure");

async function createAccount(at: typeof endpoints) {
  const signer = Wallet.createRandom();
  const apiKey = await createApiKey({ signer, endpoints: at });
  const phases = new Set<string>();
  const reports: Progress[] = [];
  const onProgress = (progress: Progress) => {
    phases.add(progress.phase);
    reports.push(progress);
  };
  return { kit: createKit({ endpoints: at, apiKey, signer, pauseMs: 0, retryMs: 0 }), onProgress, phases, reports };
}

/** Bytes that differ from block to block. */
function createPattern(size: number): Uint8Array<ArrayBuffer> {
  const numbers = new Uint32Array(size / 4);
  for (let at = 0; at < numbers.length; at++) numbers[at] = Math.imul(at, 2_654_435_761);
  return new Uint8Array(numbers.buffer);
}

const isEqual = (one: Uint8Array, other: Uint8Array) =>
  one.length === other.length && one.every((byte, at) => byte === other[at]);

const film = createPattern(10 * MIB);

async function* streamFilm(): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < film.length; at += MIB) yield film.subarray(at, at + MIB);
}

test("over HTTP/2 a page encrypts while it sends, and stores nothing", async () => {
  const { kit, onProgress, phases, reports } = await createAccount(endpoints);
  // A body that is stored first would not be in memory.
  const large = createPattern(41 * MIB);
  const stored: string[][] = [];
  const looking: Promise<void>[] = [];
  const [file] = await kit.uploadEncrypted(new File([large], "film.bin"), {
    onProgress: (progress) => {
      onProgress(progress);
      looking.push(listPrivateFiles().then((names) => void stored.push(names)));
    },
  });
  await Promise.all(looking);
  expect([...phases]).toEqual(["uploading", "saving-keys"]);
  expect(reports[0]?.fraction).toBeLessThan(0.1);
  const sent = reports.filter(({ phase }) => phase === "uploading").map(({ loaded }) => loaded);
  expect(sent.length).toBeGreaterThan(20);
  expect(sent).toEqual([...sent].sort((one, other) => one - other));
  expect(sent.at(-1)).toBe(large.length + 44);
  expect(stored.flat()).toEqual([]);
  expect(isEqual(await kit.decrypt(file?.Hash ?? ""), large)).toBe(true);
});

test("streams of known and unknown size are sent in one request with files, and arrive as they are", async () => {
  const { kit } = await createAccount(endpoints);
  const files = await kit.upload(
    [
      { name: 'a "quoted" name.bin', stream: streamFilm() },
      new File(["grüße"], "note 🗝.txt", { type: "text/plain" }),
      { name: "b.bin", size: film.length, stream: streamFilm() },
    ],
    { verifyCid: true },
  );
  expect(files.map(({ Name }) => Name)).toEqual(['a "quoted" name.bin', "note 🗝.txt", "b.bin"]);
  expect(files[0]?.Hash).toBe(files[2]?.Hash);
  expect(isEqual(await kit.download(files[0]?.Hash ?? ""), film)).toBe(true);
});

test("a host without HTTP/2 gets a stored body, of a source that was not read before", async () => {
  const { kit, onProgress, phases } = await createAccount(plain);
  const source = { name: "film.bin", size: film.length, stream: streamFilm() };
  const [file] = await kit.uploadEncrypted(source, { endpoints: { ...plain, upload: http1 }, onProgress });
  expect([...phases]).toEqual(["preparing", "uploading", "saving-keys"]);
  expect(isEqual(await kit.decrypt(file?.Hash ?? ""), film)).toBe(true);
  expect(await listPrivateFiles()).toEqual([]);
});

test("a request that breaks off is not repeated", async () => {
  const { kit, onProgress, phases } = await createAccount(broken);
  let opened = 0;
  const source = new File([film], "film.bin");
  source.stream = () => {
    opened++;
    return File.prototype.stream.call(source);
  };
  expect(await failure(kit.uploadEncrypted(source, { onProgress }))).toMatchObject({ code: "NETWORK" });
  expect(opened).toBe(1);
  expect([...phases]).toEqual(["uploading"]);
});

test("the service's refusal is reported", async () => {
  const { kit } = await createAccount(endpoints);
  const refused = kit.uploadEncrypted(new File([film], "film.bin"), { apiKey: "wrong" });
  expect(await failure(refused)).toMatchObject({ code: "HTTP_STATUS", details: { status: 401 } });
});

test("a source that fails is the cause, and one of another size is refused", async () => {
  const { kit } = await createAccount(endpoints);
  async function* fail(): AsyncGenerator<Uint8Array> {
    yield film.subarray(0, 2 * MIB);
    throw new Error("the camera was unplugged");
  }
  const unreadable = kit.uploadEncrypted({ name: "a", stream: fail() });
  expect(await failure(unreadable)).toMatchObject({ code: "SOURCE_UNREADABLE" });
  const changed = kit.upload({ name: "a", size: film.length + 1, stream: streamFilm() });
  expect(await failure(changed)).toMatchObject({ code: "SOURCE_CHANGED" });
});

test("an aborted upload cancels its source", async () => {
  const { kit } = await createAccount(endpoints);
  const stop = new AbortController();
  let isCancelled = false;
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(MIB)),
    cancel() {
      isCancelled = true;
    },
  });
  const onProgress = ({ loaded }: Progress) => loaded > 4 * MIB && stop.abort();
  const aborted = kit.uploadEncrypted({ name: "endless", stream }, { signal: stop.signal, onProgress });
  expect(await failure(aborted)).toMatchObject({ code: "ABORTED" });
  expect(isCancelled).toBe(true);
});
