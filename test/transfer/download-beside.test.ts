import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { decrypt, encryptBytes, kavachGenerate, type Signer } from "../../src/index.ts";
import { eventually } from "../support/eventually.ts";
import { failure } from "../support/failure.ts";
import { scratch } from "../support/files.ts";
import { opaqueCid as cid, nodeMessage, owner } from "../support/fixtures.ts";
import { createGate, type Gate } from "../support/gate.ts";
import { createServer, endpointsAt, type Handler, sendJson } from "../support/http-server.ts";
import { watchLeaks } from "../support/leaks.ts";

const plain = Uint8Array.from({ length: 300_000 }, (_, at) => at % 251);
const { masterKey, keyShards } = await kavachGenerate();
const encrypted = await encryptBytes(plain, masterKey);
const quick = { pauseMs: 0, retryMs: 0, timeoutMs: 60_000 };

interface Network {
  options: typeof owner & typeof quick & { endpoints: ReturnType<typeof endpointsAt> };
  downloads(): number;
  connections(): number;
}

async function createNetwork(node: Handler, gateway: Handler): Promise<Network> {
  const { url, requests, connections } = await createServer((request, response, incoming) =>
    (request.path.startsWith("/api/v0/cat/") ? gateway : node)(request, response, incoming),
  );
  const downloads = () => requests.filter(({ path }) => path.startsWith("/api/v0/cat/")).length;
  return { options: { ...owner, ...quick, endpoints: endpointsAt(url) }, downloads, connections };
}

const sendShard: Handler = ({ path }, response) =>
  sendJson(response, { payload: keyShards[Number(path.split("/").at(-1)) - 1] });
const sendFile: Handler = (_, response) => response.end(encrypted);
const deny: Handler = (_, response) => sendJson(response, { message: "Access Denied" }, 403);

/** Handles a request once the gate is reached. */
const onceReached =
  <T>(gate: Gate<T>, handler: Handler): Handler =>
  async (...all) => {
    await gate.reached;
    return handler(...all);
  };

describe.each(["sequential", "parallel"] as const)("pacing: %s", (pacing) => {
  test("a file is received as a whole before the first key node has responded", async () => {
    const sent = createGate();
    const { options, downloads } = await createNetwork(onceReached(sent, sendShard), (_, response) => {
      response.end(encrypted, () => sent.reach());
    });
    expect(Buffer.compare(await decrypt(cid, { verifyCid: false, ...options, pacing }), plain)).toBe(0);
    expect(downloads()).toBe(1);
  });

  test("a key that is there before the file decrypts it", async () => {
    const responded = createGate();
    let responses = 0;
    const { options } = await createNetwork(
      (...all) => {
        if (++responses === 3) responded.reach();
        return sendShard(...all);
      },
      onceReached(responded, sendFile),
    );
    expect(Buffer.compare(await decrypt(cid, { verifyCid: false, ...options, pacing }), plain)).toBe(0);
  });

  test("if there is no key, the download is ended, its error is thrown, and nothing is left", async () => {
    const started = createGate();
    const silent: Handler = () => started.reach();
    const { options, connections } = await createNetwork(onceReached(started, deny), silent);
    const folder = await scratch();
    const expectNothingLeft = watchLeaks();
    const error = await failure(decrypt(cid, { verifyCid: false, ...options, pacing, to: join(folder, "file") }));
    expect(error).toMatchObject({ code: "NODE_REFUSED", message: "Access Denied" });
    expect(await readdir(folder)).toEqual([]);
    await expectNothingLeft();
    await eventually(() => expect(connections()).toBe(0));
  });

  test("if the key and the download fail, the error is that of the key", async () => {
    const failed = createGate();
    const { options } = await createNetwork(onceReached(failed, deny), (_, response) => {
      response.writeHead(404).end("not here", () => failed.reach());
    });
    expect(await failure(decrypt(cid, { verifyCid: false, ...options, pacing }))).toMatchObject({
      code: "NODE_REFUSED",
    });
  });

  test("if only the download fails, its error is thrown", async () => {
    const { options } = await createNetwork(sendShard, (_, response) => void response.writeHead(404).end("not here"));
    expect(await failure(decrypt(cid, { verifyCid: false, ...options, pacing }))).toMatchObject({
      code: "HTTP_STATUS",
      details: { status: 404 },
    });
  });

  test("a file that is truncated while its key is being recovered is refused", async () => {
    const cut = createGate();
    const { options } = await createNetwork(onceReached(cut, sendShard), (_, response) => {
      response.writeHead(200, { "Content-Length": encrypted.length });
      response.write(encrypted.subarray(0, 1_000), () => {
        response.destroy();
        cut.reach();
      });
    });
    expect(await failure(decrypt(cid, { verifyCid: false, ...options, pacing }))).toMatchObject({ code: "NETWORK" });
  });

  test("an abort ends both, and leaves nothing behind", async () => {
    const controller = new AbortController();
    const { options } = await createNetwork(
      () => undefined,
      (_, response) => {
        response.end(encrypted, () => setImmediate(() => controller.abort()));
      },
    );
    const folder = await scratch();
    const expectNothingLeft = watchLeaks();
    const call = decrypt(cid, {
      verifyCid: false,
      ...options,
      pacing,
      signal: controller.signal,
      to: join(folder, "file"),
    });
    expect(await failure(call)).toMatchObject({ code: "ABORTED" });
    expect(await readdir(folder)).toEqual([]);
    await expectNothingLeft();
  });

  test("nothing is downloaded for a signer that does not sign", async () => {
    const { options, downloads } = await createNetwork(
      (_, response) => sendJson(response, [{ message: nodeMessage }]),
      sendFile,
    );
    const signer: Signer = {
      getAddress: () => owner.address,
      signMessage: () => Promise.reject(new Error("rejected")),
    };
    const { endpoints } = options;
    expect(await failure(decrypt(cid, { verifyCid: false, ...quick, endpoints, signer, pacing }))).toMatchObject({
      code: "SIGNATURE_REJECTED",
    });
    expect(downloads()).toBe(0);
  });
});
