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

/** Starts a network that always sends this response, and returns options for it. */
async function respondWith(body: unknown) {
  const { url } = await createServer((_, response) => sendJson(response, body));
  return { apiKey: "key", endpoints: endpointsAt(url) };
}
const respondWithoutKey = async (body: unknown) => ({ endpoints: (await respondWith(body)).endpoints });

describe("a malformed row never fails a listing, and stays usable", () => {
  const rows: [field: string, received: unknown, read: unknown][] = [
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
    ["createdAt", 1662880331683000000, null],
    ["createdAt", "-8640000000000001", null],
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
  test.each(rows)("%s: %j is read as %j", async (field, received, read) => {
    const options = await respondWith({
      fileList: [
        { ...row, id: "first" },
        { ...row, [field]: received },
      ],
      totalFiles: 2,
    });
    const { fileList } = await listFiles(options);
    expect(fileList).toEqual([
      { ...row, id: "first" },
      { ...row, [field]: read },
    ]);
  });

  test("missing fields are read as unknown, additional fields are kept, and items that are not rows are omitted", async () => {
    const options = await respondWith({ fileList: [{ id: "a", extra: { kept: 1 } }, null, "x", {}], more: 1 });
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
    expect((await listFiles(await respondWith({ fileList: [row], totalFiles }))).totalFiles).toBe(read);
  });

  test("yields files without an id too, and ends after a page without ids", async () => {
    const options = await respondWith({ fileList: [{ ...row, id: null }, row, { ...row, id: undefined }] });
    const ids: string[] = [];
    for await (const { id } of iterateFiles(options)) ids.push(id);
    expect(ids).toEqual(["", "a", "", "", ""]);
  });

  test("requests the next page by the last id of the page", async () => {
    const { url, requests } = await createServer(({ query }, response) =>
      sendJson(response, { fileList: query["lastKey"] === "null" ? [row, { ...row, id: {} }] : [] }),
    );
    for await (const _ of iterateFiles({ apiKey: "key", endpoints: endpointsAt(url) }));
    expect(requests.map(({ query }) => query["lastKey"])).toEqual(["null", "a"]);
  });
});

describe("a field of another type fails no other response either", () => {
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
    expect(await getDealStatus(cid, await respondWithoutKey(deals))).toEqual([
      { dealId: 180313, miner: "17840", dealStatus: null, pieceSize: null, lastUpdate: 1662880331683, own: 1 },
    ]);
  });

  test("file info", async () => {
    const info = { cid: null, fileName: null, fileSizeInBytes: 15256, encryption: null, own: [] };
    expect(await getFileInfo(cid, await respondWithoutKey(info))).toEqual({
      ...info,
      cid: "",
      fileSizeInBytes: "15256",
    });
  });

  test("usage, and the quote computed from it", async () => {
    const options = await respondWith({ dataLimit: "1000", dataUsed: null, dataUsedPermanent: "2", own: true });
    expect(await getBalance(options)).toEqual({ dataLimit: 1000, dataUsed: 0, dataUsedPermanent: 2, own: true });
    expect((await getQuote(new Uint8Array(10), options)).usage).toEqual({
      dataLimit: 1000,
      dataUsed: 0,
      dataLeft: 990,
    });
  });

  test("names", async () => {
    const records = [{ ipnsName: 5, ipnsId: null, cid: 7, publicKey: null, lastUpdate: "9" }, { ipnsName: "b" }];
    expect(await ipnsListRecords(await respondWith(records))).toEqual([
      { ipnsName: "5", ipnsId: "", cid: "7", publicKey: null, lastUpdate: 9 },
      { ipnsName: "b", ipnsId: "" },
    ]);
    expect(await ipnsGenerateKey(await respondWith({ ipnsName: 1, ipnsId: "k51" }))).toEqual({
      ipnsName: "1",
      ipnsId: "k51",
    });
    expect(
      await ipnsPublishRecord({ ...(await respondWith({ Name: "k51", Value: null })), cid, keyName: "k" }),
    ).toEqual({
      Name: "k51",
      Value: "",
    });
    expect(await ipnsRemoveKey("k", await respondWith({ Keys: [{ Name: 1 }] }))).toEqual({
      Keys: [{ Name: "1", Id: "" }],
    });
  });

  test("the message of a deletion", async () => {
    expect(await deleteFile("a", await respondWith({ message: null }))).toEqual({ message: "" });
  });
});

test.each([null, 5, "x", [], { surprise: true }])("refuses a body of another shape: %j", async (body) => {
  const errors = [
    await failure(listFiles(await respondWith(body))),
    await failure(getFileInfo(cid, await respondWithoutKey(body))),
    await failure(getBalance(await respondWith(body))),
    await failure(ipnsGenerateKey(await respondWith(body))),
    await failure(deleteFile("a", await respondWith(body))),
  ];
  if (!Array.isArray(body)) errors.push(await failure(getDealStatus(cid, await respondWithoutKey(body))));
  expect(errors.map(({ code }) => code)).toEqual(errors.map(() => "INVALID_RESPONSE"));
});
