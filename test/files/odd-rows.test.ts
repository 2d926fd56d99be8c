import { describe, expect, test } from "vitest";
import {
  deleteFile,
  getBalance,
  getDealStatus,
  getFileInfo,
  getQuote,
  ipnsGenerateKey,
  ipnsListRecords,
  ipnsPublishRecord,
  ipnsRemoveKey,
  iterateFiles,
  listFiles,
} from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { cid } from "../support/fixtures.ts";
import { createServer, endpointsAt, sendJson } from "../support/http-server.ts";

const row = {
  id: "a",
  cid,
  fileName: "a.txt",
  fileSizeInBytes: "31735",
  mimeType: "text/plain",
  encryption: true,
  createdAt: 1662880331683,
  lastUpdate: 1662883207149,
  publicKey: "0x00000000000000000000000000000000000000aa",
  status: "queued",
  txHash: "",
};

/** A call's options for a network whose every response is this. */
async function answering(body: unknown) {
  const { url } = await createServer((_, response) => sendJson(response, body));
  return { apiKey: "key", endpoints: endpointsAt(url) };
}
const openly = async (body: unknown) => ({ endpoints: (await answering(body)).endpoints });

describe("one odd row never fails a listing, and stays usable", () => {
  const odd: [field: string, given: unknown, read: unknown][] = [
    ["fileName", null, null],
    ["fileName", 5, "5"],
    ["fileName", {}, null],
    ["fileSizeInBytes", 31735, "31735"],
    ["fileSizeInBytes", 1e21, "1000000000000000000000"],
    ["fileSizeInBytes", null, null],
    ["mimeType", 5, "5"],
    ["mimeType", [], null],
    ["encryption", null, null],
    ["encryption", "true", true],
    ["encryption", 0, false],
    ["createdAt", "1662880331683", 1662880331683],
    ["createdAt", "2022-09-11T07:12:11.683Z", 1662880331683],
    ["createdAt", "yesterday", null],
    ["createdAt", null, null],
    ["lastUpdate", "1662883207149", 1662883207149],
    ["lastUpdate", null, null],
    ["publicKey", null, null],
    ["status", 7, "7"],
    ["txHash", false, null],
    ["id", 17, "17"],
    ["id", null, ""],
    ["cid", null, ""],
  ];
  test.each(odd)("%s: %j is read as %j", async (field, given, read) => {
    const options = await answering({
      fileList: [
        { ...row, id: "first" },
        { ...row, [field]: given },
      ],
      totalFiles: 2,
    });
    const { fileList } = await listFiles(options);
    expect(fileList).toEqual([
      { ...row, id: "first" },
      { ...row, [field]: read },
    ]);
  });

  test("fields that are missing are read as not known, unknown ones are kept, and what is no row is left out", async () => {
    const options = await answering({ fileList: [{ id: "a", extra: { kept: 1 } }, null, "x", {}], more: 1 });
    expect(await listFiles(options)).toEqual({
      fileList: [
        {
          id: "a",
          cid: "",
          fileName: null,
          fileSizeInBytes: null,
          encryption: null,
          createdAt: null,
          publicKey: null,
          extra: { kept: 1 },
        },
      ],
      totalFiles: null,
      more: 1,
    });
  });

  test.each([
    ["12", 12],
    [null, null],
    ["many", null],
  ])("totalFiles: %j is read as %j", async (totalFiles, read) => {
    expect((await listFiles(await answering({ fileList: [row], totalFiles }))).totalFiles).toBe(read);
  });

  test("all files come, also those without an id, and a page without ids is the last", async () => {
    const options = await answering({ fileList: [{ ...row, id: null }, row, { ...row, id: undefined }] });
    const ids: string[] = [];
    for await (const { id } of iterateFiles(options)) ids.push(id);
    expect(ids).toEqual(["", "a", "", "", ""]);
  });

  test("the next page is asked for by the last id that there is", async () => {
    const { url, requests } = await createServer(({ query }, response) =>
      sendJson(response, { fileList: query["lastKey"] === "null" ? [row, { ...row, id: {} }] : [] }),
    );
    for await (const _ of iterateFiles({ apiKey: "key", endpoints: endpointsAt(url) }));
    expect(requests.map(({ query }) => query["lastKey"])).toEqual(["null", "a"]);
  });
});

describe("nor do other answers fail by a field of another type", () => {
  test("deals", async () => {
    const deals = [
      {
        dealId: "180313",
        miner: 17840,
        dealStatus: null,
        pieceSize: {},
        lastUpdate: "2022-09-11T07:12:11.683Z",
        own: 1,
      },
      {},
      5,
    ];
    expect(await getDealStatus(cid, await openly(deals))).toEqual([
      { dealId: 180313, miner: "17840", dealStatus: null, pieceSize: null, lastUpdate: 1662880331683, own: 1 },
    ]);
  });

  test("file info", async () => {
    const info = { cid: null, fileName: null, fileSizeInBytes: 15256, encryption: null, own: [] };
    expect(await getFileInfo(cid, await openly(info))).toEqual({ ...info, cid: "", fileSizeInBytes: "15256" });
  });

  test("usage, and what a quote makes of it", async () => {
    const options = await answering({ dataLimit: "1000", dataUsed: null, dataUsedPermanent: "2", own: true });
    expect(await getBalance(options)).toEqual({ dataLimit: 1000, dataUsed: 0, dataUsedPermanent: 2, own: true });
    expect((await getQuote(new Uint8Array(10), options)).usage).toEqual({
      dataLimit: 1000,
      dataUsed: 0,
      dataLeft: 990,
    });
  });

  test("names", async () => {
    const records = [{ ipnsName: 5, ipnsId: null, cid: 7, publicKey: null, lastUpdate: "9" }, { ipnsName: "b" }];
    expect(await ipnsListRecords(await answering(records))).toEqual([
      { ipnsName: "5", ipnsId: "", cid: "7", publicKey: null, lastUpdate: 9 },
      { ipnsName: "b", ipnsId: "" },
    ]);
    expect(await ipnsGenerateKey(await answering({ ipnsName: 1, ipnsId: "k51" }))).toEqual({
      ipnsName: "1",
      ipnsId: "k51",
    });
    expect(await ipnsPublishRecord({ ...(await answering({ Name: "k51", Value: null })), cid, keyName: "k" })).toEqual({
      Name: "k51",
      Value: "",
    });
    expect(await ipnsRemoveKey("k", await answering({ Keys: [{ Name: 1 }] }))).toEqual({
      Keys: [{ Name: "1", Id: "" }],
    });
  });

  test("the word that a file is deleted", async () => {
    expect(await deleteFile("a", await answering({ message: null }))).toEqual({ message: "" });
  });
});

test.each([null, 5, "x", [], { surprise: true }])("a body that is nothing of the kind is refused: %j", async (body) => {
  const errors = [
    await failure(listFiles(await answering(body))),
    await failure(getFileInfo(cid, await openly(body))),
    await failure(getBalance(await answering(body))),
    await failure(ipnsGenerateKey(await answering(body))),
    await failure(deleteFile("a", await answering(body))),
  ];
  if (!Array.isArray(body)) errors.push(await failure(getDealStatus(cid, await openly(body))));
  expect(errors.map(({ code }) => code)).toEqual(errors.map(() => "INVALID_RESPONSE"));
});
