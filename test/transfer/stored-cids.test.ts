import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Wallet } from "ethers";
import { describe, expect, test } from "vitest";
import {
  decrypt,
  download,
  isUnfinished,
  kavachInspect,
  openJournal,
  type Source,
  type UnfinishedUpload,
  type UploadEncryptedOptions,
  type UploadedFile,
  uploadEncrypted,
} from "../../src/index.ts";
import { computeImporterCids } from "../cid/importer.ts";
import { account, devnetForTests, getApiKey } from "../support/devnet-wire.ts";
import { createUnreadableError, failure } from "../support/failure.ts";
import { scratch } from "../support/files.ts";
import { cid as unused } from "../support/fixtures.ts";
import { createServer, endpointsAt, type Handler, sendJson } from "../support/http-server.ts";
import { createMemoryNetwork, type MemoryNetwork } from "../support/net-memory.ts";
import { computeCid, computeLargeCid, createCidFunction } from "../support/stored-rows.ts";

const KIB = 1024;
const owner = { address: "0x00000000000000000000000000000000000000aa", authToken: "jwt:token-secret" };
/** CID of "hello world" and a line feed, which no test here uploads. */
const OTHER = "bafkreifjjcie6lypi6ny7amxnfftagclbuxndqonfipmb64f2km2devei4";
const devnet = devnetForTests();
const wrapped = devnetForTests({ responseForm: "list" });

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const secret = (content = "precious") => new File([content], "p.txt");

function send(network: { url: string }, source: Source, options: object = {}): Promise<UploadedFile[]> {
  const all = {
    apiKey: "key-secret",
    ...owner,
    pauseMs: 0,
    retryMs: 0,
    endpoints: endpointsAt(network.url),
    ...options,
  };
  return uploadEncrypted(source, all as UploadEncryptedOptions);
}

const open = ({ url }: MemoryNetwork, cid: string) =>
  decrypt(cid, { ...owner, pauseMs: 0, endpoints: endpointsAt(url), verifyCid: false });

/** A chunk size of no profile. */
const otherLeaves = createCidFunction({ leafBytes: 512 * KIB });

const calls = ({ requests }: MemoryNetwork, path: string) => requests.filter((request) => request.path.includes(path));

describe("an upload node that returns the CID of an older file of the same owner", () => {
  test("does not overwrite that file's key", async () => {
    const signer = new Wallet(account(devnet(), 1).privateKey);
    const apiKey = await getApiKey(devnet(), account(devnet(), 1));
    const owner = { signer, pauseMs: 0, retryMs: 0, endpoints: devnet().endpoints };
    const [old] = await uploadEncrypted(secret("the old one"), { ...owner, apiKey });
    const cid = old?.Hash ?? "";

    const { url } = await createServer((_, response) => sendJson(response, { ...old, Name: "p.txt" }));
    const faulty = { ...owner, apiKey, endpoints: { ...owner.endpoints, upload: url } };
    const error = (await failure(uploadEncrypted(secret("the new one"), faulty))) as UnfinishedUpload;
    expect(error).toMatchObject({
      name: "UnfinishedError",
      code: "CID_MISMATCH",
      details: { name: "p.txt", got: cid, problem: "another key exists under it", names: ["p.txt"] },
    });
    expect(await failure(error.resume())).toMatchObject({ code: "CID_MISMATCH" });
    expect(await failure(error.resume({ cids: { "p.txt": cid } }))).toMatchObject({
      name: "UnfinishedError",
      code: "CID_MISMATCH",
    });

    expect(text(await decrypt(cid, owner))).toBe("the old one");
    expect(await kavachInspect(cid, owner)).toMatchObject({ healthy: true });
  });
});

test("a content id that is added to cids once resume has been called is not vouched for", async () => {
  const signer = new Wallet(account(devnet(), 1).privateKey);
  const apiKey = await getApiKey(devnet(), account(devnet(), 1));
  const { url } = await createServer((_, response) => sendJson(response, { Name: "p.txt", Hash: unused }));
  const endpoints = { ...devnet().endpoints, upload: url };
  const error = (await failure(
    uploadEncrypted(secret(), { signer, apiKey, pauseMs: 0, retryMs: 0, endpoints }),
  )) as UnfinishedUpload;
  expect(error.code).toBe("CID_MISMATCH");
  const cids: Record<string, string> = {};
  const resumed = failure(error.resume({ cids }));
  cids["p.txt"] = unused;
  expect((await resumed).code).toBe("CID_MISMATCH");
});

test("a wallet that throws something unreadable while a CID is checked keeps the key on the error", async () => {
  const wallet = new Wallet(account(devnet(), 1).privateKey);
  let isBroken = false;
  const signer = {
    getAddress: () => wallet.address,
    signMessage: (message: string) =>
      isBroken ? Promise.reject(createUnreadableError()) : wallet.signMessage(message),
  };
  const apiKey = await getApiKey(devnet(), account(devnet(), 1));
  const { url } = await createServer((_, response) => {
    isBroken = true;
    sendJson(response, { Name: "p.txt", Hash: OTHER });
  });
  for (const [path, status] of [
    ["/api/retrieveSharedKey", 401],
    ["/api/message/get-jwt", 400],
  ] as const) {
    const action = { kind: "respond", status, json: { message: "Invalid Signature" } } as const;
    const method = status === 400 ? "PUT" : "POST";
    devnet().faults.add({ service: "keyNodes", method, path, times: 1, action });
  }
  const { endpoints } = devnet();
  const options = { signer, apiKey, pauseMs: 0, retryMs: 0, endpoints: { ...endpoints, upload: url } };
  const error = (await failure(uploadEncrypted(secret(), options))) as UnfinishedUpload;
  expect(error).toMatchObject({
    name: "UnfinishedError",
    code: "SHARDS_NOT_SAVED",
    message: "Error encrypting file",
    details: { names: ["p.txt"], stored: [{ Name: "p.txt", Hash: OTHER }] },
  });
  expect(error.cause).toBeInstanceOf(TypeError);
  isBroken = false;
  expect(await error.resume({ cids: { "p.txt": OTHER } })).toEqual([{ Name: "p.txt", Hash: OTHER }]);
  expect(await kavachInspect(OTHER, { signer, pauseMs: 0, endpoints })).toMatchObject({ healthy: true });
});

describe("an upload node that chunks files", () => {
  const file = () => new File([new Uint8Array(3 * 1024 * KIB).fill(7)], "large.bin");

  test.each([0, 1] as const)("into leaves of 1 MiB is recognised, with version %d requested", async (cidVersion) => {
    const network = await createMemoryNetwork(computeLargeCid);
    const [stored] = await send(network, file(), { cidVersion, verifyCid: true });
    expect(await open(network, stored?.Hash ?? "")).toHaveLength(3 * 1024 * KIB);
    expect(calls(network, "/cat/")).toHaveLength(1);
    expect(calls(network, "/retrieveSharedKey/")).toHaveLength(3);
  });

  test("in version 0's default leaves is recognised", async () => {
    const toCid = async (bytes: Uint8Array) =>
      (await computeImporterCids({ x: bytes }, { cidVersion: 0 }))["x"]?.cid ?? "";
    const network = await createMemoryNetwork(toCid);
    const [stored] = await send(network, file(), { cidVersion: 0, verifyCid: true });
    expect(stored?.Hash).toMatch(/^Qm/);
  });

  test("in another way is accepted once the file is read back", async () => {
    const network = await createMemoryNetwork(otherLeaves);
    const [large, small] = await send(network, [file(), secret()]);
    expect(calls(network, "/cat/").map(({ path }) => path)).toEqual([`/api/v0/cat/${large?.Hash}`]);
    expect(await open(network, large?.Hash ?? "")).toHaveLength(3 * 1024 * KIB);
    expect(text(await open(network, small?.Hash ?? ""))).toBe("precious");
  });

  test("in another way is accepted once one of the gateways has the file", async () => {
    const network = await createMemoryNetwork(otherLeaves);
    const { url: empty } = await createServer((_, response) => response.writeHead(404).end());
    const endpoints = { ...endpointsAt(network.url), gateway: empty };
    const [stored] = await send(network, file(), { endpoints });
    expect(calls(network, "/cat/").map(({ path }) => path)).toEqual([`/api/v0/cat/${stored?.Hash}`]);
    expect(await open(network, stored?.Hash ?? "")).toHaveLength(3 * 1024 * KIB);
  });

  test("in another way is accepted with a signature, which is kept for saving the key", async () => {
    const network = await createMemoryNetwork(otherLeaves);
    await send(network, file(), { authToken: "0x5e" });
    expect(calls(network, "/retrieveSharedKey/")).toEqual([]);
    expect(calls(network, "/fileAccessConditions/get/")).toHaveLength(1);
    expect(network.saved).toHaveLength(5);
  });

  test("in another way is refused immediately with verifyCid", async () => {
    const network = await createMemoryNetwork(otherLeaves);
    expect(await failure(send(network, file(), { verifyCid: true }))).toMatchObject({
      name: "UnfinishedError",
      code: "CID_MISMATCH",
      details: {
        got: network.cidAt(0),
        expected: await computeCid(network.files.get(network.cidAt(0)) ?? new Uint8Array()),
      },
    });
    expect(network.requests).toHaveLength(1);
  });
});

describe("an upload node that starts to split files in another way", () => {
  const bytes = new Uint8Array(3 * 1024 * KIB).fill(9);
  const file = (name = "large.bin") => new File([bytes], name);

  /** Comparing arrays of this size by `toEqual` takes seconds. */
  const isOpened = async (network: MemoryNetwork, cid = "") => Buffer.from(await open(network, cid)).equals(bytes);

  /** A node whose first response shows one way, leaves of 256 KiB by default, and later ones another, leaves of 1 MiB. */
  async function createChanging({
    before = computeCid,
    after = computeLargeCid,
    onUpload = () => undefined as unknown,
  } = {}): Promise<MemoryNetwork> {
    let uploads = 0;
    const network = await createMemoryNetwork(async (content) => {
      if (uploads++ === 0) return before(content);
      await onUpload();
      return after(content);
    });
    await send(network, file("first.bin"), { verifyCid: true });
    return network;
  }

  test.each([
    ["a file", () => file()],
    ["bytes", () => bytes],
    ["a stream, which cannot be read again", () => ({ name: "large.bin", stream: file().stream() })],
  ])("is recognised by %s, without reading it back", async (_, source) => {
    const network = await createChanging();
    for (let round = 0; round < 2; round++) {
      const [stored] = await send(network, source(), { verifyCid: true });
      expect(await computeLargeCid(network.files.get(stored?.Hash ?? "") ?? new Uint8Array())).toBe(stored?.Hash);
      expect(calls(network, "/cat/")).toEqual([]);
      expect(await isOpened(network, stored?.Hash)).toBe(true);
      network.requests.length = 0;
    }
  });

  test("is recognised by each of several files, short ones too", async () => {
    const network = await createChanging();
    const rows = await send(network, [file("a.bin"), secret(), file("b.bin")], { verifyCid: true });
    expect(calls(network, "/cat/")).toEqual([]);
    expect(text(await open(network, rows[1]?.Hash ?? ""))).toBe("precious");
    expect(await isOpened(network, rows[2]?.Hash)).toBe(true);
  });

  test("has a file that changed meanwhile read back", async () => {
    const path = join(await scratch(), "large.bin");
    await writeFile(path, bytes);
    const network = await createChanging({ onUpload: () => writeFile(path, "another text") });
    const strict = (await failure(send(network, path, { verifyCid: true }))) as UnfinishedUpload;
    expect([strict.name, strict.code]).toEqual(["UnfinishedError", "CID_MISMATCH"]);
    await writeFile(path, bytes);
    const [stored] = await send(network, path);
    expect(calls(network, "/cat/")).toHaveLength(1);
    expect(await isOpened(network, stored?.Hash)).toBe(true);
  });

  test.each([
    ["leaves of 256 KiB", computeCid],
    ["a way that is not known", createCidFunction({ leafBytes: 512 * KIB })],
  ])("has a file that is gone read back, where leaves of 1 MiB are followed by %s", async (_, after) => {
    const path = join(await scratch(), "large.bin");
    await writeFile(path, bytes);
    const network = await createChanging({ before: computeLargeCid, after, onUpload: () => rm(path) });
    const [stored] = await send(network, path);
    expect(calls(network, "/cat/")).toHaveLength(1);
    expect(await isOpened(network, stored?.Hash)).toBe(true);
  });

  /** Files that fire `controller` when they are opened for the time after `opens`. */
  function createWatched(count: number, opens: number, controller: AbortController): File[] {
    let opened = 0;
    class Watched extends File {
      override stream() {
        if (++opened > opens) controller.abort();
        return super.stream();
      }
    }
    return Array.from({ length: count }, (_, at) => new Watched([bytes], `${at}.bin`));
  }

  test.each([1, 2])("an abort while %d files are read again leaves an error that continues there", async (count) => {
    const network = await createChanging();
    const controller = new AbortController();
    const files = createWatched(count, count, controller);
    const error = (await failure(
      send(network, files, { verifyCid: true, signal: controller.signal }),
    )) as UnfinishedUpload;
    expect([error.name, error.code, network.saved.length]).toEqual(["UnfinishedError", "ABORTED", 5]);
    const rows = await error.resume({ signal: undefined });
    expect(rows).toHaveLength(count);
    for (const { Hash } of rows) expect(await isOpened(network, Hash)).toBe(true);
    expect(calls(network, "/api/v0/add")).toHaveLength(2);
  });

  test("after an abort while a file is read again, a journal finds it where the node said that it is", async () => {
    const network = await createChanging();
    network.override(
      (path) => path.includes("file_info"),
      ({ query }, response) => {
        const cid = query["cid"] ?? "";
        if (!network.files.has(cid)) return void response.writeHead(404).end();
        sendJson(response, { cid, fileSizeInBytes: "1", encryption: true, fileName: "0.bin", mimeType: null });
      },
    );
    const journal = await openJournal({ folder: await scratch() });
    const controller = new AbortController();
    const [source] = createWatched(1, 1, controller);
    const error = await failure(send(network, source as File, { journal, signal: controller.signal }));
    expect([isUnfinished(error), error.code]).toEqual([true, "ABORTED"]);
    const [operation] = await journal.list();
    const resuming = { ...owner, pauseMs: 0, endpoints: endpointsAt(network.url) };
    await journal.resume(operation?.id ?? "", resuming);
    expect(calls(network, "/api/v0/add")).toHaveLength(2);
    expect(await isOpened(network, network.cidAt(1))).toBe(true);
  });

  test("an abort while files are read again leaves an error that continues there, whatever the node names them", async () => {
    const network = await createChanging();
    network.override(
      (path) => path === "/api/v0/add",
      (_, response) => {
        const rows = [...network.files.keys()]
          .slice(-2)
          .map((Hash, at) => ({ Name: `renamed-${at}`, Hash, Size: "1" }));
        sendJson(response, rows);
      },
      1,
    );
    const controller = new AbortController();
    const files = createWatched(2, 2, controller);
    const error = (await failure(send(network, files, { signal: controller.signal }))) as UnfinishedUpload;
    expect([error.name, error.code]).toEqual(["UnfinishedError", "ABORTED"]);
    for (const { Hash } of await error.resume({ signal: undefined })) expect(await isOpened(network, Hash)).toBe(true);
  });

  test("a journal that cannot be written any more leaves an error that continues, with the keys", async () => {
    const folder = await scratch();
    const network = await createChanging({
      async onUpload() {
        await rm(folder, { recursive: true, force: true });
        await writeFile(folder, "in the way");
      },
    });
    const journal = await openJournal({ folder });
    const error = (await failure(send(network, [file("a.bin"), file("b.bin")], { journal }))) as UnfinishedUpload;
    expect([error.name, error.code]).toEqual(["UnfinishedError", "CANNOT_WRITE"]);
  });

  test.each([
    ["256 KiB by 1 MiB", computeCid, computeLargeCid, { verifyCid: true }],
    ["1 MiB by 256 KiB", computeLargeCid, computeCid, {}],
  ] as const)(
    "a journal resumes one file that was not stored, once leaves of %s",
    async (_, before, after, options) => {
      const network = await createChanging({ before, after });
      network.override(
        (path) => path.includes("file_info"),
        (_request, response) => void response.writeHead(404).end(),
      );
      network.override(
        (path) => path === "/api/v0/add",
        (_request, response) => void response.writeHead(502).end(),
        1,
      );
      const journal = await openJournal({ folder: await scratch() });
      const source = new File([bytes], "large.bin", { lastModified: 1 });
      expect(isUnfinished(await failure(send(network, source, { ...options, journal })))).toBe(true);
      const [operation] = await journal.list();
      const resuming = { ...owner, apiKey: "key-secret", pauseMs: 0, endpoints: endpointsAt(network.url), source };
      const report = await journal.resume(operation?.id ?? "", resuming);
      expect(report).toMatchObject({ kind: "upload" });
      expect(calls(network, "/api/v0/add")).toHaveLength(3);
      expect(await isOpened(network, network.cidAt(network.files.size - 1))).toBe(true);
      expect(await journal.list()).toEqual([]);
    },
  );
});

test("files in a wrapping folder are matched by their CIDs", async () => {
  const signer = new Wallet(account(wrapped(), 2).privateKey);
  const apiKey = await getApiKey(wrapped(), account(wrapped(), 2));
  const owner = { signer, pauseMs: 0, endpoints: wrapped().endpoints };
  const files = [new File(["one"], "1.txt"), new File(["two"], "2.txt")];
  const [one, two] = await uploadEncrypted(files, { ...owner, apiKey, wrapWithDirectory: true });
  expect([one?.Name, two?.Name]).toEqual(["1.txt", "2.txt"]);
  expect(text(await decrypt(two?.Hash ?? "", owner))).toBe("two");
});

test("a file is found by its CID under any name in the response", async () => {
  const network = await createMemoryNetwork();
  network.override(
    (path) => path === "/api/v0/add",
    (_, response) =>
      sendJson(
        response,
        [1, 0].map((at) => ({ Name: `${at}`, Hash: network.cidAt(at) })),
      ),
  );
  const stored = await send(network, [new File(["one"], "1.txt"), new File(["two"], "2.txt")]);
  expect(stored.map(({ Hash }) => Hash)).toEqual([network.cidAt(0), network.cidAt(1)]);
  expect(text(await open(network, network.cidAt(1)))).toBe("two");
});

describe("no key is saved under a CID that was not computed", () => {
  /** Creates a network whose upload node returns this CID, and serves `bytes` under it. */
  async function respondWithCid(Hash: string, bytes?: (encrypted: Uint8Array) => Uint8Array) {
    const network = await createMemoryNetwork();
    network.override(
      (path) => path === "/api/v0/add",
      (_, response) => {
        const [encrypted = new Uint8Array()] = network.files.values();
        if (bytes) network.files.set(Hash, bytes(encrypted));
        sendJson(response, { Name: "p.txt", Hash });
      },
    );
    return network;
  }

  async function expectNothingSaved(network: MemoryNetwork, problem: string): Promise<UnfinishedUpload> {
    const error = (await failure(send(network, secret()))) as UnfinishedUpload;
    expect(error).toMatchObject({ name: "UnfinishedError", code: "CID_MISMATCH", details: { got: OTHER, problem } });
    expect(network.saved).toEqual([]);
    return error;
  }

  const otherBytes: [string, (encrypted: Uint8Array) => Uint8Array][] = [
    ["of another file", (encrypted) => Uint8Array.from(encrypted, (byte) => byte ^ 1)],
    ["with one more byte", (encrypted) => Uint8Array.from([...encrypted, 0])],
    ["without the first byte", (encrypted) => encrypted.slice(1)],
    ["of length 0", () => new Uint8Array()],
  ];
  test.each(otherBytes)("if it yields bytes %s; resume saves it under the right CID", async (_, bytes) => {
    const network = await respondWithCid(OTHER, bytes);
    const error = await expectNothingSaved(network, "reading it back yields other bytes");
    const right = network.cidAt(0);
    expect(await error.resume({ cids: { "p.txt": right } })).toEqual([{ Name: "p.txt", Hash: right }]);
    expect(text(await open(network, right))).toBe("precious");
  });

  test("if the gateway does not respond; resume checks again", async () => {
    const network = await respondWithCid(OTHER, (encrypted) => encrypted);
    network.override(
      (path) => path.includes("/cat/"),
      (_, response) => response.writeHead(500).end(),
      1,
    );
    const error = await expectNothingSaved(network, "it could not be checked");
    expect(error.cause).toMatchObject({ code: "HTTP_STATUS" });
    expect(await error.resume()).toMatchObject([{ Hash: OTHER }]);
    expect(text(await open(network, OTHER))).toBe("precious");
  });

  test.each([1, 4, 5])("if only node %d has another key for it", async (node) => {
    const network = await respondWithCid(OTHER, (encrypted) => encrypted);
    const before = { node, cid: OTHER, payload: { key: "0a".repeat(32), index: "0b".repeat(32) } };
    network.saved.push(before);
    const error = await failure(send(network, secret()));
    expect(error).toMatchObject({ code: "CID_MISMATCH", details: { problem: "another key exists under it" } });
    const signed = await failure(send(network, secret(), { authToken: "0x5e" }));
    expect(signed).toMatchObject({ code: "CID_MISMATCH", details: { problem: "another key exists under it" } });
    expect(network.saved).toEqual([before]);
    expect(calls(network, "/cat/")).toEqual([]);
  });

  const refusals: [string, Handler, string][] = [
    ["refuses", (_, response) => sendJson(response, { message: { message: "Access Denied" } }, 403), "NODE_REFUSED"],
    ["fails", (_, response) => response.destroy(), "NETWORK"],
    ["returns nonsense", (_, response) => sendJson(response, { payload: 5 }), "INVALID_RESPONSE"],
  ];
  test.each(refusals)("if a key node %s", async (_, handler, code) => {
    const network = await respondWithCid(OTHER, (encrypted) => encrypted);
    network.override((path) => path === "/api/retrieveSharedKey/3", handler, 1);
    const error = await expectNothingSaved(network, "it could not be checked");
    expect(error.cause).toMatchObject({ code });
    await error.resume();
    expect(text(await open(network, OTHER))).toBe("precious");
  });

  test("nor is a key of the other files of the upload, until all CIDs are right", async () => {
    const network = await createMemoryNetwork();
    network.override(
      (path) => path === "/api/v0/add",
      (_, response) =>
        sendJson(response, [
          { Name: "p.txt", Hash: network.cidAt(0) },
          { Name: "q.txt", Hash: OTHER },
        ]),
    );
    const error = (await failure(send(network, [secret(), new File(["too"], "q.txt")]))) as UnfinishedUpload;
    expect(error).toMatchObject({ code: "CID_MISMATCH", details: { name: "q.txt", names: ["p.txt", "q.txt"] } });
    expect(network.saved).toEqual([]);
    await error.resume({ cids: { "q.txt": network.cidAt(1) } });
    expect(text(await open(network, network.cidAt(0)))).toBe("precious");
    expect(text(await open(network, network.cidAt(1)))).toBe("too");
  });

  test("an abort during the check keeps the key", async () => {
    const network = await respondWithCid(OTHER, (encrypted) => encrypted);
    const controller = new AbortController();
    network.override(
      (path) => path.includes("/cat/"),
      () => controller.abort(),
      1,
    );
    const error = (await failure(send(network, secret(), { signal: controller.signal }))) as UnfinishedUpload;
    expect(error).toMatchObject({ name: "UnfinishedError", code: "ABORTED", details: { names: ["p.txt"] } });
    await error.resume();
    expect(text(await open(network, OTHER))).toBe("precious");
  });

  test("after a partial save, the same resume may be called again", async () => {
    const network = await respondWithCid(OTHER);
    const error = await expectNothingSaved(network, "reading it back yields other bytes");
    network.override(
      (path) => path === "/api/setSharedKey/3",
      (_, response) => response.writeHead(500).end(),
      1,
    );
    expect(await failure(error.resume({ cids: { "p.txt": OTHER } }))).toMatchObject({ code: "SHARDS_NOT_SAVED" });
    await error.resume({ cids: { "p.txt": OTHER } });
    expect(new Set(network.saved.map(({ node }) => node))).toEqual(new Set([1, 2, 3, 4, 5]));
  });
});

test("an upload node stores the bytes that it receives", async () => {
  const network = await createMemoryNetwork();
  const [stored] = await send(network, new File([new Uint8Array(20 * 1024 * KIB)], "large.bin"));
  const bytes = await download(stored?.Hash ?? "", { endpoints: endpointsAt(network.url), verifyCid: true });
  expect(bytes).toHaveLength(20 * 1024 * KIB + 44);
});
