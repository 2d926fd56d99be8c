import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { getQuote } from "../../src/payment/quote.ts";
import { getTicker } from "../../src/payment/ticker.ts";
import {
  createApiKey,
  createOneTimeToken,
  getAuthMessage,
  getOneTimeMessage,
} from "../../src/storage/account/api-key.ts";
import { getBalance } from "../../src/storage/account/usage.ts";
import { createWallet } from "../../src/storage/account/wallet.ts";
import { deleteFile, iterateFiles, listFiles, pinCid } from "../../src/storage/files/account-files.ts";
import { getDealStatus, getFileInfo } from "../../src/storage/files/info.ts";
import { getProof } from "../../src/storage/files/proofs.ts";
import { ipnsGenerateKey, ipnsListRecords, ipnsPublishRecord, ipnsRemoveKey } from "../../src/storage/ipns/names.ts";
import { uploadCar } from "../../src/storage/upload/upload.ts";
import { uploadEncrypted } from "../../src/storage/upload/upload-encrypted.ts";
import { failure } from "../support/failure.ts";
import { incomplete } from "../support/incomplete.ts";
import { address, apiKey, cid, endpoints, signature } from "./row.ts";

let requests = 0;
const server = setupServer(
  http.all("*", () => {
    requests++;
    return HttpResponse.json({});
  }),
);
beforeAll(() => server.listen({ onUnhandledRequest: "error" }));
beforeEach(() => {
  requests = 0;
});
afterAll(() => server.close());

const withKey = { apiKey, endpoints };
const withoutKey = incomplete({ endpoints });
const folder = new URL("../vectors", import.meta.url);
const invalidCid = "INVALID_CID: Invalid CID";
const invalidAddress = "INVALID_ADDRESS: Invalid public Key";
const missingApiKey = "MISSING_API_KEY: No API key: pass { apiKey }, or bind one with createKit({ apiKey })";
const missingOwner = /^MISSING_OWNER: No owner/;
const invalidKey = /^INVALID_OPTION: Invalid option apiKey: expected a string of visible ASCII characters/;
const blank = (option: string) => `INVALID_OPTION: Invalid option ${option}: expected a non-empty string`;

const refused: [name: string, call: () => Promise<unknown>, error: string | RegExp][] = [
  ["getAuthMessage of no address", () => getAuthMessage("0x12", withoutKey), invalidAddress],
  ["getOneTimeMessage of no address", () => getOneTimeMessage("", withoutKey), invalidAddress],
  ["createApiKey for nobody", () => createApiKey(withoutKey), missingOwner],
  ["createOneTimeToken for nobody", () => createOneTimeToken(withoutKey), missingOwner],
  ["createOneTimeToken of no address", () => createOneTimeToken({ address: "me", signature }), invalidAddress],
  [
    "createOneTimeToken of a signature that is two lines",
    () => createOneTimeToken({ address, signature: "0x12\n34" }),
    /^INVALID_OPTION: Invalid option signature/,
  ],
  ["createWallet without a password", () => createWallet(""), blank("password")],
  ["getFileInfo with text around the id", () => getFileInfo(`${cid} `, withoutKey), invalidCid],
  ["getDealStatus without an id", () => getDealStatus("", withoutKey), invalidCid],
  ["getProof of a path", () => getProof(`/ipfs/${cid}`, withoutKey), invalidCid],
  ["getTicker of nothing", () => getTicker(" ", withoutKey), blank("symbol")],
  ["getTicker of a number", () => getTicker(5 as never, withoutKey), blank("symbol")],
  ["getBalance without an API key", () => getBalance(withoutKey), missingApiKey],
  ["getBalance with an API key of two lines", () => getBalance({ apiKey: "a\nb", endpoints }), invalidKey],
  ["listFiles without an API key", () => listFiles(withoutKey), missingApiKey],
  ["listFiles after nothing", () => listFiles({ ...withKey, lastKey: "" }), blank("lastKey")],
  ["iterateFiles without an API key", () => iterateFiles(withoutKey).next(), missingApiKey],
  ["deleteFile without an id", () => deleteFile("", withKey), blank("id")],
  ["deleteFile without an API key", () => deleteFile("id", withoutKey), missingApiKey],
  ["pinCid of no content id", () => pinCid("photo.jpg", withKey), invalidCid],
  ["pinCid under a blank name", () => pinCid(cid, { ...withKey, fileName: " " }), blank("fileName")],
  ["pinCid without an API key", () => pinCid(cid, withoutKey), missingApiKey],
  ["getQuote of nothing", () => getQuote([], withKey), "INVALID_SOURCE: Invalid source: it is empty"],
  ["getQuote with an API key of two lines", () => getQuote(folder, { apiKey: "a\nb" }), invalidKey],
  ["ipnsGenerateKey without an API key", () => ipnsGenerateKey(withoutKey), missingApiKey],
  ["ipnsListRecords without an API key", () => ipnsListRecords(withoutKey), missingApiKey],
  ["ipnsPublishRecord of no content id", () => ipnsPublishRecord({ ...withKey, cid: "x", keyName: "k" }), invalidCid],
  ["ipnsPublishRecord under no name", () => ipnsPublishRecord({ ...withKey, cid, keyName: "" }), blank("keyName")],
  [
    "ipnsPublishRecord without an API key",
    () => ipnsPublishRecord(incomplete({ cid, keyName: "k", endpoints })),
    missingApiKey,
  ],
  ["ipnsRemoveKey of no name", () => ipnsRemoveKey("", withKey), blank("keyName")],
  ["ipnsRemoveKey without an API key", () => ipnsRemoveKey("k", withoutKey), missingApiKey],
  ["getBalance at no host", () => getBalance({ apiKey, endpoints: { api: "http://" } }), /endpoints\.api: expected/],
  ["getBalance behind a query", () => getBalance({ apiKey, endpoints: { api: "http://a/?b" } }), /endpoints\.api/],
  ["getBalance with no real signal", () => getBalance({ ...withKey, signal: {} as never }), /option signal: expected/],
  [
    "uploadEncrypted of an unknown version, before anything is signed",
    () => uploadEncrypted(new Uint8Array(1), { ...withKey, cidVersion: 2 as never, address, authToken: "jwt:x" }),
    "INVALID_OPTION: Invalid option cidVersion: expected 0 or 1",
  ],
  ["uploadCar without an API key", () => uploadCar(new Uint8Array(1), withoutKey), missingApiKey],
  [
    "uploadCar of two files",
    () => uploadCar([new Uint8Array(1), new Uint8Array(1)], withKey),
    "INVALID_SOURCE: Invalid source: a CAR upload takes one file",
  ],
];

test.each(refused)("%s is refused before anything is sent", async (_, call, expected) => {
  const { code, message } = await failure(call());
  if (typeof expected === "string") expect(`${code}: ${message}`).toBe(expected);
  else expect(`${code}: ${message}`).toMatch(expected);
  expect(requests).toBe(0);
});
