import { Wallet } from "ethers";
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from "vitest";
import { cdp } from "vitest/browser";
import { createMediaUrl, type MediaFile, type MediaUrlOptions } from "../../packages/media/src/index.ts";
import { createApiKey, createKit, type OpenFile } from "../../src/index.ts";
import { eventually } from "../support/eventually.ts";
import { colors, encodeFrames, openFilm, picture, readPicture, seekFilm } from "../support/film-page.ts";
import { registerMediaWorker } from "../support/media-page.ts";
import { createFilm } from "../support/webm.ts";

const { endpoints } = inject("devnet");
const MIB = 1024 * 1024;
let bytes: Uint8Array<ArrayBuffer>;
let file: OpenFile;
let unregister: (() => Promise<unknown>) | undefined;

beforeAll(async () => {
  const signer = Wallet.createRandom();
  const kit = createKit({ endpoints, apiKey: await createApiKey({ signer, endpoints }), signer, pauseMs: 0 });
  const frames = (await encodeFrames({ ...picture, colors })).map((frame) =>
    Uint8Array.from(atob(frame), (character) => character.charCodeAt(0)),
  );
  const parts = createFilm(frames, { seconds: 120, clusterBytes: 256 * 1024, ...picture }).chunks();
  const blob = new Blob([...parts]);
  bytes = new Uint8Array(await blob.arrayBuffer());
  const [stored] = await kit.uploadEncrypted(new File([blob], "film.webm"));
  file = await kit.openEncrypted(stored?.Hash ?? "");
  await expect(createMediaUrl(file)).rejects.toMatchObject({ code: "UNSUPPORTED" });
  unregister = await registerMediaWorker();
});

afterAll(() => unregister?.());

/** Creates a URL that ends with the test. */
async function createUrl(of: MediaFile, options: MediaUrlOptions = {}) {
  const created = await createMediaUrl(of, options);
  onTestFinished(created.revoke);
  return created;
}

const fetchRange = (url: string, range: string) => fetch(url, { headers: { Range: range } });

/** A file whose parts come from `body`. */
const fileOf = (body: () => ReadableStream<Uint8Array>, size: number): MediaFile => ({
  size,
  read: async (from, to) => new Uint8Array(to - from),
  stream: body,
});

function textFile(text: string): MediaFile {
  const content = new TextEncoder().encode(text);
  const read = async (from: number, to: number) => content.subarray(from, to);
  return { ...fileOf(() => new Blob([content]).stream(), content.length), read };
}

/** A file without end, and whether it is still being read. */
function createEndless() {
  let isOpen = true;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(MIB)),
    cancel() {
      isOpen = false;
    },
  });
  return { file: fileOf(() => body, 1e12), isOpen: () => isOpen };
}

test("an encrypted film is shown at any position, and its bytes are those of the file", async () => {
  const { url } = await createUrl(file);
  const video = document.createElement("video");
  expect(await openFilm(video, url)).toBe(120);
  for (const second of [117, 2, 60]) {
    const color = colors[second % colors.length] ?? "";
    const expected = [1, 3, 5].map((at) => (color[at] === "f" ? 1 : 0));
    await seekFilm(video, second + 0.5);
    await eventually(() => expect(readPicture(video)).toEqual(expected));
  }
  video.src = "";

  const middle = await fetchRange(url, `bytes=${10 * MIB}-${11 * MIB - 1}`);
  expect(middle.status).toBe(206);
  expect(Object.fromEntries(middle.headers)).toMatchObject({
    "cache-control": "no-store",
    "content-length": String(MIB),
    "content-range": `bytes ${10 * MIB}-${11 * MIB - 1}/${bytes.length}`,
    "content-security-policy": "sandbox",
    "content-type": "video/webm",
    "cross-origin-resource-policy": "same-origin",
    "x-content-type-options": "nosniff",
  });
  const received = new Uint8Array(await middle.arrayBuffer());
  expect(received.every((byte, at) => byte === bytes[10 * MIB + at])).toBe(true);
  const head = await fetch(url, { method: "HEAD" });
  expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, String(bytes.length), ""]);
  expect((await fetchRange(url, `bytes=${bytes.length}-`)).status).toBe(416);
  expect(await caches.keys()).toEqual([]);
});

test("a Service Worker that was stopped continues with the next request", async () => {
  const { url } = await createUrl(file);
  const { file: endless, isOpen } = createEndless();
  const reader = (await fetch((await createUrl(endless)).url)).body?.getReader();
  await reader?.read();
  const video = document.createElement("video");
  await openFilm(video, url);
  await cdp().send("ServiceWorker.enable");
  await cdp().send("ServiceWorker.stopAllWorkers");
  await seekFilm(video, 97.5);
  await eventually(() => expect(readPicture(video)).toEqual([0, 1, 0]));
  video.src = "";
  // What the stopped one was reading ends.
  await eventually(() => expect(isOpen()).toBe(false));
  const received = new Uint8Array(await (await fetchRange(url, "bytes=100-199")).arrayBuffer());
  expect([...received]).toEqual([...bytes.subarray(100, 200)]);
});

test("a revoked URL ends, and so does what is being read by it", async () => {
  const { file: endless, isOpen } = createEndless();
  const { url, revoke } = await createMediaUrl(endless);
  const reader = (await fetch(url)).body?.getReader();
  expect((await reader?.read())?.done).toBe(false);
  revoke();
  await expect(drain(reader)).rejects.toThrow();
  await eventually(() => expect(isOpen()).toBe(false));
  expect((await fetch(url)).status).toBe(404);
});

async function drain(reader: ReadableStreamDefaultReader<Uint8Array> | undefined): Promise<void> {
  while (!(await reader?.read())?.done);
}

test("a response that is no longer read ends what it reads from", async () => {
  const { file: endless, isOpen } = createEndless();
  const { url } = await createUrl(endless);
  const stop = new AbortController();
  const reader = (await fetch(url, { signal: stop.signal })).body?.getReader();
  await reader?.read();
  stop.abort();
  await eventually(() => expect(isOpen()).toBe(false));
});

test("the URLs of a page end with it", async () => {
  const frame = document.createElement("iframe");
  frame.src = "/LICENSE";
  const loaded = new Promise((resolve) => {
    frame.onload = resolve;
  });
  document.body.append(frame);
  await loaded;
  const created = new Promise<string>((resolve) => Object.assign(frame.contentWindow ?? {}, { created: resolve }));
  const script = frame.contentDocument?.createElement("script");
  if (!script) throw new Error("the frame has no document");
  script.type = "module";
  script.textContent = `
    import { createMediaUrl } from "${new URL("../../packages/media/src/index.ts", import.meta.url).href}";
    const body = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(1000)) });
    const file = { size: 1e12, read: async () => new Uint8Array(16), stream: () => body };
    created((await createMediaUrl(file)).url);
  `;
  frame.contentDocument?.head.append(script);
  const url = await created;
  const reader = (await fetch(url)).body?.getReader();
  expect((await reader?.read())?.done).toBe(false);
  frame.remove();
  await expect(drain(reader)).rejects.toThrow();
  expect((await fetch(url)).status).toBe(404);
});

test("a part that cannot be read fails, and the page receives why", async () => {
  const failure = new Error("the gateway is down");
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const broken = new ReadableStream({
    pull(controller) {
      controller.error(failure);
    },
  });
  const refused = await createUrl({ ...fileOf(() => broken, 9), read: () => Promise.reject(failure) }, { onError });
  await expect(fetch(refused.url)).rejects.toThrow(TypeError);
  const cut = await createUrl(
    fileOf(() => broken, 9),
    { onError },
  );
  await expect(fetch(cut.url).then((response) => response.text())).rejects.toThrow(TypeError);
  expect(errors).toEqual([failure, failure]);
});

test.each(["<!doctype html><script>parent.ran = true</script>", '<svg xmlns="http://www.w3.org/2000/svg"/>'])(
  "%s does not run",
  async (text) => {
    const { url } = await createUrl(textFile(text));
    const { headers } = await fetch(url);
    expect(headers.get("content-security-policy")).toBe("sandbox");
    expect(headers.get("content-type")).toBe("application/octet-stream");
  },
);

test("a PDF is in no sandbox, in which Safari would show nothing", async () => {
  const { url } = await createUrl(textFile("%PDF-1.7"));
  const { headers } = await fetch(url);
  expect(headers.get("content-security-policy")).toBe("default-src 'none'; style-src 'unsafe-inline'");
  expect(headers.get("content-type")).toBe("application/pdf");
  expect(headers.get("x-content-type-options")).toBe("nosniff");
});

test("other URLs are left to the network, and unknown ones of the folder do not exist", async () => {
  expect((await fetch("/package.json")).ok).toBe(true);
  const { url } = await createUrl(textFile("x"));
  expect((await fetch(url.replace(/[^/]+$/, crypto.randomUUID()))).status).toBe(404);
});
