import { createKit, type KeyNodeOptions, type Progress, type Source, upload } from "../../src/index.ts";

/** What the kit of the worker has bound. */
export type BoundOptions = KeyNodeOptions & { apiKey: string; address: string; authToken: string };

/** What the page sends to the worker. */
export interface JobRequest {
  job: keyof typeof jobs;
  options: BoundOptions;
}

const bytes = Uint8Array.from({ length: 3_000_000 }, (_, at) => (at * 13 + (at >> 9)) & 0xff);

async function* streamBytes(): AsyncGenerator<Uint8Array> {
  yield bytes.subarray(0, 1_000_000);
  yield bytes.subarray(1_000_000);
}

const isSame = (other: Uint8Array) => other.length === bytes.length && other.every((byte, at) => byte === bytes[at]);

async function getFailure(call: Promise<unknown>) {
  const error = await call.then(
    () => new Error("it did not fail"),
    (reason: Error & { code?: string; details?: object }) => reason,
  );
  return { name: error.name, code: "code" in error && error.code, details: "details" in error && error.details };
}

const jobs = {
  /** What the worker has for sending. */
  async capabilities() {
    return { request: typeof XMLHttpRequest, worker: globalThis.constructor.name };
  },
  async calls({ apiKey, endpoints, address }: BoundOptions) {
    const kit = createKit({ apiKey, endpoints });
    const { dataLimit } = await kit.getBalance();
    const { message } = await kit.getAuthMessage(address);
    return { dataLimit, message };
  },
  async plain(options: BoundOptions) {
    const kit = createKit(options);
    const sources: Source[] = [new File([bytes], "a.bin"), { name: "b.bin", stream: streamBytes() }];
    const seen: Progress[] = [];
    const all: boolean[] = [];
    for (const source of sources) {
      const [file] = await kit.upload(source, { onProgress: (progress) => seen.push(progress) });
      all.push(isSame(await kit.download(file?.Hash ?? "")));
    }
    return { all, seen };
  },
  async encrypted(options: BoundOptions) {
    const kit = createKit(options);
    const [file] = await kit.uploadEncrypted(new File([bytes], "secret.bin"));
    return isSame(await kit.decrypt(file?.Hash ?? ""));
  },
  refused: ({ endpoints }: BoundOptions) => getFailure(upload(bytes, { apiKey: "wrong", endpoints })),
  lost: (options: BoundOptions) =>
    getFailure(createKit(options).uploadEncrypted(bytes, { endpoints: { upload: "http://127.0.0.1:1" } })),
  async aborted({ apiKey, endpoints }: BoundOptions) {
    const controller = new AbortController();
    const onProgress = () => controller.abort();
    return getFailure(
      upload({ name: "x", stream: streamBytes() }, { apiKey, endpoints, signal: controller.signal, onProgress }),
    );
  },
};

globalThis.addEventListener(
  "message",
  (event: MessageEvent<JobRequest> & { waitUntil?(work: Promise<unknown>): void }) => {
    const { job, options } = event.data;
    const done = jobs[job](options).then(
      (result) => event.ports[0]?.postMessage({ result }),
      (error: unknown) => event.ports[0]?.postMessage({ error: String(error) }),
    );
    event.waitUntil?.(done);
  },
);
