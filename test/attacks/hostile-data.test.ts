import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, expect, test, vi } from "vitest";
import { verifyProof } from "../../packages/proof/src/index.ts";
import { makeRecoveryKit, openRecoveryKit } from "../../packages/recovery/src/index.ts";
import { createRecorder } from "../../src/formats/recovery-file/recorder.ts";
import {
  decrypt,
  download,
  getBalance,
  getProof,
  iterateFiles,
  kavachGenerate,
  kavachRecoverShards,
  listFiles,
  listFolder,
  openEncrypted,
  upload,
} from "../../src/index.ts";
import { createHttpRpc } from "../../src/network/ethereum/json-rpc.ts";
import { startGateway } from "../blocks/stand-in.ts";
import { makeBytes, storeFile } from "../blocks/trees.ts";
import { devnetForTests } from "../support/devnet-wire.ts";
import { failure } from "../support/failure.ts";
import { scratch } from "../support/files.ts";
import { createServer, endpointsAt, sendJson } from "../support/http-server.ts";
import proof from "../vectors/podsi-calibration.json" with { type: "json" };
import { makeRepeatingFolder } from "./hostile-folders.ts";
import { createRig, type Rig } from "./rig.ts";

const devnet = devnetForTests();
let rig: Omit<Rig, "target">;
beforeAll(async () => {
  rig = await createRig(devnet());
});

/** Makes a folder with a kit of the owner's file, beside which an attacker can write. */
async function makeKitFolder(): Promise<string> {
  const folder = join(await scratch(), "kit");
  await mkdir(folder);
  const { people, other, recipient } = rig;
  await makeRecoveryKit([other.cid], { ...people.owner, recipients: recipient, to: join(folder, "kit.age") });
  return folder;
}

test("a wrong key, name and size added to a recovery kit", async () => {
  const { identity, recipient, other, people } = rig;
  const { cid, masterKey, commitment, text } = other;
  const folder = await makeKitFolder();
  const { masterKey: wrong } = await kavachGenerate();
  // The recipient is all that an attacker needs; the name sorts before the kit.
  const recoveryTo = (message: Uint8Array) => writeFile(join(folder, "0.age"), message);
  const recorder = await createRecorder({ recovery: recipient, recoveryTo }, undefined);
  await recorder.write([{ cid, name: "invoice.exe", size: 7, masterKey: wrong }]);

  const kit = await openRecoveryKit(folder, { identity });
  expect(kit.entries).toEqual([{ cid, name: "invoice.exe", size: 7 }]);
  expect(kit.keys(cid)).toEqual([wrong, masterKey]);
  const { endpoints } = people.owner;
  const key = kit.keys(cid);
  for (const options of [{}, { strict: true }, { commitment }]) {
    const bytes = await decrypt(cid, { key, endpoints, ...options });
    expect(new TextDecoder().decode(bytes)).toBe(text);
  }
  for (const options of [{ authenticate: true }, { commitment }]) {
    const file = await openEncrypted(cid, { key, endpoints, ...options });
    expect(new TextDecoder().decode(await file.read(0, file.size))).toBe(text);
  }
  expect((await failure(decrypt(cid, { key: [wrong], endpoints }))).code).toBe("CANNOT_DECRYPT");
  expect((await failure(decrypt(cid, { key: [], endpoints }))).code).toBe("INVALID_OPTION");
});

test("files added to a recovery kit that cannot be opened", async () => {
  const { identity, other } = rig;
  const folder = await makeKitFolder();
  await writeFile(join(folder, "0.age"), "");
  await writeFile(join(folder, "1.age"), "age-encryption.org/v1\n-> X25519 a\n");
  const kit = await openRecoveryKit(folder, { identity });
  expect(kit.keys(other.cid)).toEqual([other.masterKey]);
  expect(kit.unread.map(({ error }) => error.code)).toEqual(["CANNOT_DECRYPT", "CANNOT_DECRYPT"]);
});

/** Starts a server that sends this text, compressed, as every response. */
async function startBomb(text: string): Promise<string> {
  const body = gzipSync(text);
  const { url } = await createServer((_, response) =>
    response.writeHead(200, { "Content-Encoding": "gzip" }).end(body),
  );
  return url;
}

test("a small response that expands to gigabytes of memory", async () => {
  const { people, other, apiKey } = rig;
  const MIB = 1024 * 1024;
  const code = async (call: Promise<unknown>) => (await failure(call)).code;
  const deep = await startBomb("[".repeat(15 * MIB));
  const many = await startBomb(`{"fileList":[${"{},".repeat(4 * MIB)}{}]}`);
  expect(await code(getBalance({ apiKey, endpoints: endpointsAt(deep) }))).toBe("RESPONSE_TOO_LARGE");
  const wide = await startBomb(`{"fileList":[${Array.from({ length: 250_000 }, (_, at) => `{"name ${at}":1}`)}]}`);
  for (const url of [deep, many, wide]) {
    expect(await code(listFiles({ apiKey, endpoints: endpointsAt(url) }))).toBe("INVALID_JSON");
    const rpc = createHttpRpc(url, { signal: undefined, timeoutMs: 60_000 });
    expect(await code(rpc("eth_blockNumber", []))).toBe("INVALID_JSON");
  }
  const owner = { address: people.owner.signer.address, authToken: "a.b.c", endpoints: endpointsAt(deep) };
  const { details } = await failure(kavachRecoverShards(other.cid, { ...owner, pauseMs: 0, attempts: 1 }));
  expect(JSON.stringify(details)).toContain("RESPONSE_TOO_LARGE");
});

const count = async (rows: AsyncIterable<unknown>, seen: unknown[] = []) => {
  for await (const row of rows) seen.push(row);
};

test("a folder of seven blocks that lists more entries than memory holds", async () => {
  for (const hasEntries of [true, false]) {
    const [cid, blocks] = await makeRepeatingFolder(7, hasEntries);
    const { url, requests } = await startGateway(blocks, { ways: ["raw"] });
    const error = await failure(count(listFolder(cid, { endpoints: endpointsAt(url) })));
    expect(error).toMatchObject({ code: "INVALID_RESPONSE", details: { problem: expect.stringContaining("twice") } });
    expect(requests.length).toBeLessThan(20);
  }
});

test("a listing without an end", async () => {
  const { apiKey, people } = rig;
  let id = 0;
  const { url } = await createServer((_, response) =>
    sendJson(response, { fileList: Array.from({ length: 2000 }, () => ({ id: String(++id), cid: "bafy" })) }),
  );
  const seen: unknown[] = [];
  const error = await failure(count(iterateFiles({ apiKey, endpoints: endpointsAt(url) }), seen));
  expect(error).toMatchObject({ code: "TOO_MANY_ROWS", details: { maxRows: 100_000 } });
  expect(seen).toHaveLength(100_000);

  const { endpoints } = people.owner;
  const files = ["a", "b", "c"].map((name) => new File([name], name));
  const [folder] = await upload(files, { apiKey, endpoints, wrapWithDirectory: true });
  const entries: unknown[] = [];
  const { code } = await failure(count(listFolder(folder.Hash, { endpoints, maxRows: 2 }), entries));
  expect([code, entries.length]).toEqual(["TOO_MANY_ROWS", 2]);
  expect((await failure(count(listFolder(folder.Hash, { endpoints, maxRows: 0 })))).code).toBe("INVALID_OPTION");
});

test("blocks that come once they are given up, after other bytes", async () => {
  const file = await storeFile(makeBytes(1_100_000));
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let cut: () => void = () => undefined;
  const { url } = await startGateway(file.blocks, {
    ways: ["raw"],
    async intercept({ method }, response) {
      if (method === "POST") {
        response.writeHead(200, { "Content-Length": 1_100_000 }).write(makeBytes(600_000, 2));
        cut = () => response.destroy();
        return true;
      }
      await released;
      // Once the first block has arrived, the rest can be read by blocks.
      response.once("finish", () => setTimeout(cut, 100));
      return false;
    },
  });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"], shouldAdvanceTime: true });
  const patience = setInterval(() => vi.advanceTimersByTime(15_000), 10);
  try {
    const onProgress = ({ loaded }: { loaded: number }) => {
      if (loaded < 450_000) return;
      clearInterval(patience);
      release();
    };
    const error = await failure(download(file.cid, { endpoints: endpointsAt(url), onProgress }));
    expect(error.code).toBe("NETWORK");
  } finally {
    clearInterval(patience);
    vi.useRealTimers();
  }
});

test("the proof of another file", async () => {
  const dealInfo = proof.dealInfo.map((deal) => ({ ...deal, dealId: "of no chain" }));
  const { url } = await createServer((_, response) => sendJson(response, { ...proof, dealInfo }));
  const { deals } = await verifyProof(await getProof(rig.other.cid, { endpoints: endpointsAt(url) }));
  expect(deals).toMatchObject([{ valid: true, dealId: "of no chain" }]);
});
