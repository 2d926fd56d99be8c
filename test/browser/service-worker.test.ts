import { Wallet } from "ethers";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { createApiKey, kavachGetAuthMessage, kavachGetJwt } from "../../src/index.ts";
import type { BoundOptions, JobRequest } from "./kit-worker.ts";

const { endpoints } = inject("devnet");
let registration: ServiceWorkerRegistration;
let options: BoundOptions;

beforeAll(async () => {
  const signer = Wallet.createRandom();
  const { address } = signer;
  const apiKey = await createApiKey({ signer, endpoints });
  const { message } = await kavachGetAuthMessage(address, { endpoints });
  const { token } = await kavachGetJwt(address, { signature: await signer.signMessage(message), endpoints });
  options = { apiKey, endpoints, address, authToken: token, pauseMs: 0, retryMs: 0 };

  registration = await navigator.serviceWorker.register("/test/browser/bundled-kit-worker.js");
  const worker = registration.installing ?? registration.waiting ?? registration.active;
  await new Promise<void>((resolve, reject) => {
    const checkState = () => {
      if (worker?.state === "activated") resolve();
      if (worker?.state === "redundant") reject(new Error("the service worker does not start"));
    };
    worker?.addEventListener("statechange", checkState);
    checkState();
  });
});

afterAll(() => registration?.unregister());

/** Runs a job in the service worker, and returns its result. */
async function runJob(job: JobRequest["job"]): Promise<unknown> {
  const { port1, port2 } = new MessageChannel();
  const response = new Promise<{ result?: unknown; error?: string }>((resolve) => {
    port1.onmessage = ({ data }) => resolve(data);
  });
  registration.active?.postMessage({ job, options } satisfies JobRequest, [port2]);
  const { result, error } = await response;
  port1.close();
  if (error !== undefined) throw new Error(error);
  return result;
}

test("a service worker has no XMLHttpRequest", async () => {
  expect(await runJob("capabilities")).toEqual({ request: "undefined", worker: "ServiceWorkerGlobalScope" });
});

test("a service worker calls the API host", async () => {
  expect(await runJob("calls")).toMatchObject({ dataLimit: expect.any(Number), message: expect.any(String) });
});

test("a service worker uploads Blobs and streams; their progress never falls and ends at 1", async () => {
  const { all, seen } = (await runJob("plain")) as { all: boolean[]; seen: { fraction: number; loaded: number }[] };
  expect(all).toEqual([true, true]);
  const ends = seen.filter(({ fraction }) => fraction === 1);
  expect(ends.map(({ loaded }) => loaded)).toEqual([3_000_000, expect.any(Number)]);
  const first = seen.slice(0, seen.findIndex(({ fraction }) => fraction === 1) + 1).map(({ fraction }) => fraction);
  expect(first).toEqual([...first].sort((a, b) => a - b));
});

test("a service worker encrypts, uploads, recovers the key and decrypts", async () => {
  expect(await runJob("encrypted")).toBe(true);
});

test("a service worker throws the network's refusal", async () => {
  expect(await runJob("refused")).toMatchObject({ code: "HTTP_STATUS", details: { status: 401 } });
});

test("a service worker that cannot know whether the body was sent keeps the keys", async () => {
  expect(await runJob("lost")).toMatchObject({ name: "UnfinishedError", code: "NETWORK", details: { bodySent: true } });
});

test("an upload of a service worker can be aborted", async () => {
  expect(await runJob("aborted")).toMatchObject({ code: "ABORTED" });
});
