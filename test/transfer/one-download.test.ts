import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Wallet } from "ethers";
import { describe, expect, onTestFinished, test } from "vitest";
import { startDevnet } from "../../packages/devnet/src/index.ts";
import {
  createApiKey,
  decrypt,
  encryptBytes,
  type KeyReport,
  kavachGenerate,
  kavachShardKey,
  uploadEncrypted,
} from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { scratch } from "../support/files.ts";
import { opaqueCid as cid, cid as verifiableCid } from "../support/fixtures.ts";
import { createServer, endpointsAt, sendJson } from "../support/http-server.ts";
import { watchLeaks } from "../support/leaks.ts";

const owner = { address: `0x${"a".repeat(40)}`, authToken: "jwt:x", pauseMs: 0, timeoutMs: 60_000, verifyCid: false };
const plain = Uint8Array.from({ length: 700_007 }, (_, at) => (at * 31 + (at >> 8)) % 251);
const { masterKey, keyShards } = await kavachGenerate();
const { keyShards: otherShards } = await kavachShardKey("0b".repeat(32));
const encrypted = await encryptBytes(plain, masterKey ?? "");

/** Starts key nodes and a gateway; the first nodes that are queried return plausible but wrong shards. */
async function createNetwork(options: { faulty: number; file?: Uint8Array }) {
  const queried: number[] = [];
  const { url, requests, close } = await createServer(({ path }, response) => {
    if (path.startsWith("/api/v0/cat/")) return void response.end(options.file ?? encrypted);
    const node = Number(path.split("/").at(-1));
    if (!queried.includes(node)) queried.push(node);
    const shards = queried.indexOf(node) < options.faulty ? otherShards : keyShards;
    return sendJson(response, { payload: shards[node - 1] });
  });
  const downloads = () => requests.filter(({ path }) => path.startsWith("/api/v0/cat/")).length;
  return { endpoints: endpointsAt(url), queried, downloads, close };
}

const readBytes = async (stream: Blob | ReadableStream<Uint8Array>) =>
  Buffer.from(await new Response(stream).arrayBuffer());

type Options = typeof owner & { endpoints: ReturnType<typeof endpointsAt> };
const outputs: [string, (options: Options, to: string) => Promise<Buffer>][] = [
  ["bytes", async (options) => Buffer.from(await decrypt(cid, options))],
  ["a Blob", async (options) => readBytes(await decrypt(cid, { ...options, as: "blob" }))],
  ["a stream", async (options) => readBytes(await decrypt(cid, { ...options, as: "stream" }))],
  ["a file", async (options, to) => readFile((await decrypt(cid, { ...options, to })).path)],
];

describe.each(outputs)("as %s", (_, open) => {
  test.each([1, 2])(
    "a file is downloaded once though %d key nodes are faulty",
    { timeout: 180_000 },
    async (faulty) => {
      const { endpoints, downloads, queried, close } = await createNetwork({ faulty });
      const folder = await scratch();
      const expectNothingLeft = watchLeaks();
      expect(Buffer.compare(await open({ ...owner, endpoints }, join(folder, "file")), plain)).toBe(0);
      expect(downloads()).toBe(1);
      expect(queried).toHaveLength(5);
      expect((await readdir(folder)).filter((name) => name !== "file")).toEqual([]);
      await close();
      await expectNothingLeft();
    },
  );

  test("with three faulty key nodes it is downloaded once, and leaves nothing behind", {
    timeout: 180_000,
  }, async () => {
    const { endpoints, downloads, close } = await createNetwork({ faulty: 3 });
    const folder = await scratch();
    const expectNothingLeft = watchLeaks();
    const error = await failure(open({ ...owner, endpoints }, join(folder, "file")));
    expect(error).toMatchObject({ code: "CANNOT_DECRYPT" });
    expect(downloads()).toBe(1);
    expect(await readdir(folder)).toEqual([]);
    await close();
    await expectNothingLeft();
  });

  test("an abort after the first key ends the call, and leaves nothing behind", async () => {
    const { endpoints, downloads, close } = await createNetwork({ faulty: 3 });
    const folder = await scratch();
    const expectNothingLeft = watchLeaks();
    const controller = new AbortController();
    const { signal } = controller;
    const onProgress = ({ loaded, total }: { loaded: number; total?: number }) => {
      if (loaded === total) setImmediate(() => controller.abort());
    };
    const options = { ...owner, endpoints, signal, onProgress };
    expect(await failure(open(options, join(folder, "file")))).toMatchObject({ code: "ABORTED" });
    expect(downloads()).toBe(1);
    expect(await readdir(folder)).toEqual([]);
    await close();
    await expectNothingLeft();
  });
});

test("the report names the faulty nodes", { timeout: 180_000 }, async () => {
  const { endpoints, queried } = await createNetwork({ faulty: 2 });
  const reports: KeyReport[] = [];
  await decrypt(cid, { ...owner, endpoints, onKeyRecovered: (report) => void reports.push(report) });
  expect(reports.map(({ faultyNodes }) => faultyNodes.sort())).toEqual([queried.slice(0, 2).sort()]);
});

test("verifyCid checks the downloaded file, regardless of the key that is tried", async () => {
  const { endpoints, downloads } = await createNetwork({ faulty: 2 });
  const call = decrypt(verifiableCid, { ...owner, endpoints, verifyCid: true });
  expect(await failure(call)).toMatchObject({ code: "CID_MISMATCH" });
  expect(downloads()).toBe(1);
});

test("a file that is too short to be encrypted is refused without querying more nodes", async () => {
  const { endpoints, queried } = await createNetwork({ faulty: 0, file: new Uint8Array(43) });
  expect(await failure(decrypt(cid, { ...owner, endpoints }))).toMatchObject({ code: "CANNOT_DECRYPT" });
  expect(queried).toHaveLength(3);
});

test("on a devnet with two faulty nodes, every decryption is one download", { timeout: 180_000 }, async () => {
  const devnet = await startDevnet();
  onTestFinished(() => devnet.close());
  for (const node of [1, 2]) {
    devnet.faults.add({ service: "keyNodes", node, path: "/api/retrieveSharedKey", action: { kind: "wrong-shard" } });
  }
  const signer = new Wallet(devnet.accounts[0]?.privateKey ?? "");
  const options = { signer, endpoints: devnet.endpoints, pauseMs: 0, timeoutMs: 60_000 };
  const apiKey = await createApiKey({ signer, endpoints: devnet.endpoints });
  const [stored] = await uploadEncrypted(plain, { ...options, apiKey });
  for (let run = 1; run <= 3; run++) {
    expect(Buffer.compare(await decrypt(stored?.Hash ?? "", { ...options, verifyCid: true }), plain)).toBe(0);
    expect(devnet.requests().filter(({ path }) => path.startsWith("/api/v0/cat/"))).toHaveLength(run);
  }
});
