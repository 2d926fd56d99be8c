import { randomBytes } from "node:crypto";
import { Wallet } from "ethers";
import { beforeAll, describe, expect, test } from "vitest";
import {
  createApiKey,
  createOneTimeToken,
  deleteFile,
  download,
  getBalance,
  getDealStatus,
  getFileInfo,
  getProof,
  getQuote,
  getTicker,
  ipnsGenerateKey,
  ipnsListRecords,
  ipnsPublishRecord,
  ipnsRemoveKey,
  listFiles,
  upload,
  uploadBuffer,
  uploadCar,
  uploadText,
} from "../../../src/index.ts";
import { account, devnetForTests } from "../../../test/support/devnet-wire.ts";
import { verifyProof } from "../../proof/src/index.ts";
import { createTree, encodeCar } from "./car.ts";

const devnet = devnetForTests({ proofDelayMs: 300, tickers: { FIL: 4.25 } });
const endpoints = () => devnet().endpoints;
const createSigner = (n: number) => new Wallet(account(devnet(), n).privateKey);
let apiKey = "";
const as = () => ({ apiKey, endpoints: endpoints() });
beforeAll(async () => {
  apiKey = await createApiKey({ signer: createSigner(0), endpoints: endpoints() });
});

test("a one-time token uploads once, to its signer's account", async () => {
  const token = await createOneTimeToken({ signer: createSigner(1), endpoints: endpoints() });
  const [file] = await uploadText("once", { apiKey: token, endpoints: endpoints(), name: "once.txt" });
  await expect(uploadText("twice", { apiKey: token, endpoints: endpoints() })).rejects.toMatchObject({
    details: { status: 401 },
  });
  const own = await createApiKey({ signer: createSigner(1), endpoints: endpoints() });
  const { fileList } = await listFiles({ apiKey: own, endpoints: endpoints() });
  expect(fileList).toMatchObject([{ fileName: "once.txt", cid: file?.Hash, publicKey: account(devnet(), 1).address }]);
});

test("a quote has the remaining storage; uploads use it until they are deleted", async () => {
  const bytes = randomBytes(10_000);
  const before = await getBalance(as());
  const quote = await getQuote(bytes, as());
  const { dataLimit, dataUsed } = before;
  expect(quote.usage).toEqual({ dataLimit, dataUsed, dataLeft: dataLimit - dataUsed - 10_000 });
  const [file] = await uploadBuffer(bytes, as());
  expect((await getBalance(as())).dataUsed).toBe(dataUsed + 10_000);
  expect(await getFileInfo(file?.Hash ?? "", { endpoints: endpoints() })).toMatchObject({
    fileSizeInBytes: "10000",
    encryption: false,
  });
  const { fileList } = await listFiles(as());
  await deleteFile(fileList[0]?.id ?? "", as());
  expect((await getBalance(as())).dataUsed).toBe(dataUsed);
});

test("a ticker", async () => {
  expect(await getTicker("FIL", { endpoints: endpoints() })).toBe(4.25);
  await expect(getTicker("NONE", { endpoints: endpoints() })).rejects.toMatchObject({ code: "TICKER_FAILED" });
});

test("deals and a proof exist after a delay, and the proof verifies", async () => {
  const [file] = await uploadBuffer(randomBytes(50_000), as());
  const cid = file?.Hash ?? "";
  expect(await getDealStatus(cid, { endpoints: endpoints() })).toEqual([]);
  await expect(getProof(cid, { endpoints: endpoints() })).rejects.toMatchObject({
    code: "PROOF_NOT_READY",
    message: "Proof Doesn't exist yet",
  });
  await expect
    .poll(async () => (await getDealStatus(cid, { endpoints: endpoints() })).length, { timeout: 50_000 })
    .toBe(1);
  const [deal] = await getDealStatus(cid, { endpoints: endpoints() });
  const { deals } = await verifyProof(await getProof(cid, { endpoints: endpoints() }));
  expect(deals).toMatchObject([{ dealId: deal?.dealId, aggregateCid: deal?.pieceCID, pieceSize: 65_536 }]);
});

describe("IPNS", () => {
  test("a name is created, published twice, listed and removed", async () => {
    const { ipnsName, ipnsId } = await ipnsGenerateKey(as());
    for (const text of ["first", "second"]) {
      const [page] = await uploadText(text, { ...as(), name: "page.txt" });
      const cid = page?.Hash ?? "";
      expect(await ipnsPublishRecord({ ...as(), cid, keyName: ipnsName })).toEqual({
        Name: ipnsId,
        Value: `/ipfs/${cid}`,
      });
      const response = await fetch(`${endpoints().gateway}/ipns/${ipnsId}`);
      expect(await response.text()).toBe(text);
    }
    expect(await ipnsListRecords(as())).toMatchObject([{ ipnsName, ipnsId, publicKey: account(devnet(), 0).address }]);
    expect(await ipnsRemoveKey(ipnsName, as())).toEqual({ Keys: [{ Name: ipnsName, Id: ipnsId }] });
    expect(await ipnsListRecords(as())).toEqual([]);
  });

  test("an unpublished name is listed, and an unknown one fails", async () => {
    const { ipnsName } = await ipnsGenerateKey(as());
    expect(await ipnsListRecords(as())).toMatchObject([{ ipnsName, cid: null }]);
    await expect(ipnsRemoveKey("unknown", as())).rejects.toMatchObject({
      code: "HTTP_STATUS",
      details: { status: 500 },
    });
  });
});

test("a CAR file is stored as its content", async () => {
  const content = randomBytes(300_000);
  const { root, blocks } = await createTree({ "site/inner/a.bin": content, "site/b.txt": Buffer.from("b") });
  const car = new File([encodeCar([root], blocks)], "site.car");
  expect(await uploadCar(car, as())).toMatchObject([{ Name: "site.car", Hash: root.toString() }]);
  const [file] = await upload(new File([content], "a.bin"), as());
  const opened = await download(file?.Hash ?? "", { endpoints: endpoints() });
  expect(content.equals(opened)).toBe(true);
  const inside = await fetch(`${endpoints().gateway}/ipfs/${root}/inner/a.bin`);
  expect(content.equals(Buffer.from(await inside.arrayBuffer()))).toBe(true);
});
