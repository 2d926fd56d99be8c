import { createKit, type Progress, type Source, type UploadEncryptedOptions, upload } from "../../src/index.ts";

/** What the page has the worker do its job with. */
export interface Order {
  job: keyof typeof jobs;
  options: UploadEncryptedOptions;
}

const bytes = Uint8Array.from({ length: 3_000_000 }, (_, at) => (at * 13 + (at >> 9)) & 0xff);

async function* halves(): AsyncGenerator<Uint8Array> {
  yield bytes.subarray(0, 1_000_000);
  yield bytes.subarray(1_000_000);
}

const same = (given: Uint8Array) => given.length === bytes.length && given.every((byte, at) => byte === bytes[at]);

async function failureOf(call: Promise<unknown>) {
  const error = await call.then(
    () => new Error("it did not fail"),
    (reason: Error & { code?: string; details?: object }) => reason,
  );
  return { name: error.name, code: "code" in error && error.code, details: "details" in error && error.details };
}

const jobs = {
  /** What there is to send by. */
  async means() {
    return { request: typeof XMLHttpRequest, worker: globalThis.constructor.name };
  },
  async calls({ apiKey, endpoints, address }: UploadEncryptedOptions) {
    const kit = createKit({ apiKey, endpoints });
    const { dataLimit } = await kit.getBalance();
    return { dataLimit, message: await kit.getAuthMessage(address ?? "") };
  },
  async plainly(options: UploadEncryptedOptions) {
    const kit = createKit(options);
    const sources: Source[] = [new File([bytes], "a.bin"), { name: "b.bin", stream: halves() }];
    const seen: Progress[] = [];
    const all: boolean[] = [];
    for (const source of sources) {
      const [file] = await kit.upload(source, { onProgress: (progress) => seen.push(progress) });
      all.push(same(await kit.download(file?.Hash ?? "")));
    }
    return { all, seen };
  },
  async encrypted(options: UploadEncryptedOptions) {
    const kit = createKit(options);
    const [file] = await kit.uploadEncrypted(new File([bytes], "secret.bin"));
    return same(await kit.decrypt(file?.Hash ?? ""));
  },
  refused: ({ endpoints }: UploadEncryptedOptions) => failureOf(upload(bytes, { apiKey: "wrong", endpoints })),
  lost: (options: UploadEncryptedOptions) =>
    failureOf(createKit(options).uploadEncrypted(bytes, { endpoints: { upload: "http://127.0.0.1:1" } })),
  async stopped({ apiKey, endpoints }: UploadEncryptedOptions) {
    const controller = new AbortController();
    const onProgress = () => controller.abort();
    return failureOf(
      upload({ name: "x", stream: halves() }, { apiKey, endpoints, signal: controller.signal, onProgress }),
    );
  },
};

globalThis.addEventListener("message", (event: MessageEvent<Order> & { waitUntil?(work: Promise<unknown>): void }) => {
  const { job, options } = event.data;
  const done = jobs[job](options).then(
    (result) => event.ports[0]?.postMessage({ result }),
    (error: unknown) => event.ports[0]?.postMessage({ error: String(error) }),
  );
  event.waitUntil?.(done);
});
