import { expect, test } from "vitest";
import { decrypt, openJournal, type UploadedFiles, uploadEncrypted } from "../../src/index.ts";
import { as } from "../kavach/saved-keys.ts";
import { account, devnetForTests, getApiKey } from "../support/devnet-wire.ts";
import { failure } from "../support/failure.ts";
import { scratch } from "../support/files.ts";
import { createServer, type Handler, sendJson } from "../support/http-server.ts";

const devnet = devnetForTests();
/** CID of "hello world" and a line feed. */
const OTHER = "bafkreifjjcie6lypi6ny7amxnfftagclbuxndqonfipmb64f2km2devei4";

const options = async () => ({
  ...as(devnet(), 0),
  apiKey: await getApiKey(devnet(), account(devnet(), 0)),
  attempts: 1,
});
const source = new File(["text"], "a.txt");

const countUploads = () =>
  devnet()
    .requests()
    .filter(({ path }) => path.startsWith("/api/v0/add")).length;

/** Uploads to an upload node of this behaviour; returns the error and the journal. */
async function uploadTo(handler: Handler, file: File = source, read = true) {
  const journal = await openJournal({ folder: await scratch() });
  const { url } = await createServer(handler, { read });
  const given = await options();
  const endpoints = { ...given.endpoints, upload: url };
  const error = await failure(uploadEncrypted(file, { ...given, endpoints, journal }));
  return { error, journal, id: (await journal.list())[0]?.id ?? "" };
}

async function expectText({ result }: { result: unknown }, text: string): Promise<void> {
  const [file] = result as UploadedFiles;
  expect(new TextDecoder().decode(await decrypt(file.Hash, as(devnet(), 0)))).toBe(text);
}

const respondWith =
  (Hash: string): Handler =>
  (_, response) =>
    sendJson(response, { Name: "a.txt", Hash });

test("a file that is stored, but reported under a CID that the network does not know, is found", async () => {
  const forward: Handler = async ({ headers, body }, response) => {
    const { authorization = "", encryption = "" } = headers as Record<string, string>;
    const sent = {
      Authorization: authorization,
      Encryption: encryption,
      "Content-Type": headers["content-type"] ?? "",
    };
    const url = `${devnet().endpoints.upload}/api/v0/add?cid-version=1`;
    const stored = await fetch(url, { method: "POST", headers: sent, body: new Uint8Array(body) });
    expect(stored.status).toBe(200);
    sendJson(response, { Name: "a.txt", Hash: OTHER });
  };
  const { error, journal, id } = await uploadTo(forward);
  expect(error).toMatchObject({ code: "CID_MISMATCH" });
  const before = countUploads();
  await expectText(await journal.resume(id, as(devnet(), 0)), "text");
  expect(countUploads()).toBe(before);
  expect(await journal.list()).toEqual([]);
});

test("a file that is reported under a CID that the network does not know, and not stored, is sent again", async () => {
  const { error, journal, id } = await uploadTo(respondWith(OTHER));
  expect(error).toMatchObject({ code: "CID_MISMATCH" });
  await expectText(await journal.resume(id, { ...(await options()), source }), "text");
  expect(await journal.list()).toEqual([]);
});

test("a file that is reported under the CID of another one is sent again, and the other keeps its key", async () => {
  const [old] = await uploadEncrypted(new File(["older"], "a.txt"), await options());
  const { error, journal, id } = await uploadTo(respondWith(old.Hash));
  expect(error).toMatchObject({ code: "CID_MISMATCH" });
  await expectText(await journal.resume(id, { ...(await options()), source }), "text");
  await expectText({ result: [old] }, "older");
});

test("a CID that the caller vouched for stays, though some shards are missing", async () => {
  const { error, journal, id } = await uploadTo(respondWith(OTHER));
  expect(error).toMatchObject({ code: "CID_MISMATCH" });
  const action = { kind: "respond", status: 500 } as const;
  devnet().faults.add({ service: "keyNodes", node: 3, method: "POST", path: "/api/setSharedKey", times: 1, action });
  const vouching = { ...as(devnet(), 0), attempts: 1, cids: { "a.txt": OTHER } };
  expect(await failure(journal.resume(id, vouching))).toMatchObject({ code: "SHARDS_NOT_SAVED" });
  expect(await journal.list()).toMatchObject([{ cids: [OTHER], nodesDone: [1, 2] }]);
  const before = countUploads();
  expect(await failure(journal.resume(id, { ...(await options()), source }))).toMatchObject({
    code: "CID_MISMATCH",
  });
  expect(await journal.resume(id, vouching)).toMatchObject({ result: [{ Hash: OTHER }] });
  expect(countUploads()).toBe(before);
});

test("a file of which an upload node reports success before it has received all of it is sent again", async () => {
  const large = new File([new Uint8Array(16 * 1024 ** 2)], "a.txt");
  const { error, journal, id } = await uploadTo(respondWith(OTHER), large, false);
  expect(error).toMatchObject({ name: "UnfinishedError" });
  const { result } = await journal.resume(id, { ...(await options()), source: large });
  const [file] = result as UploadedFiles;
  expect(await decrypt(file.Hash, as(devnet(), 0))).toHaveLength(16 * 1024 ** 2);
});
