import { getAddress } from "ethers";
import { expect, test } from "vitest";
import { samples } from "../access-conditions/samples.ts";
import { failure } from "../support/failure.ts";
import { signature } from "../support/fixtures.ts";
import { createServer, endpointsAt, sendJson } from "../support/http-server.ts";
import { incomplete } from "../support/incomplete.ts";
import * as kit from "./all-calls.ts";

const evm = "0x8ba1f109551bd432803012645ac136ddd64dba72";
const base58 = "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtVq";
const { keyShards } = await kit.kavachGenerate();
const condition = samples.native;
const bytes = Uint8Array.of(1);
const authToken = "jwt:t";

/** Options for any call; `address` is the owner's. */
function optionsFor(url: string, address = evm) {
  return { endpoints: endpointsAt(url), apiKey: "k", address, authToken, pauseMs: 0, retryMs: 0, attempts: 1 };
}
type Options = ReturnType<typeof optionsFor>;
type Calls = Partial<Record<keyof typeof kit, (value: string, options: Options) => Promise<unknown>>>;

/** Every public function that takes a CID. */
const takingCid: Calls = {
  createShareLink: (value, { apiKey: _, ...owner }) =>
    kit.createShareLink(value, { ...owner, page: "https://example.com/open" }),
  decrypt: (value, options) => kit.createKit(options).decrypt(value),
  download: (value, options) => kit.createKit(options).download(value),
  getDealStatus: (value, options) => kit.createKit(options).getDealStatus(value),
  getFileInfo: (value, options) => kit.createKit(options).getFileInfo(value),
  getProof: (value, options) => kit.createKit(options).getProof(value),
  ipnsPublishRecord: (cid, options) => kit.createKit(options).ipnsPublishRecord({ cid, keyName: "k" }),
  kavachGetAccessConditions: (value, options) => kit.createKit(options).kavachGetAccessConditions(value),
  kavachInspect: (value, options) => kit.createKit(options).kavachInspect(value),
  kavachRecoverShards: (value, options) => kit.createKit(options).kavachRecoverShards(value),
  kavachRepair: (value, options) => kit.createKit(options).kavachRepair(value),
  kavachRevoke: (cid, options) => kit.createKit(options).kavachRevoke(cid, { revokeTo: evm }),
  kavachSaveShards: (cid, options) => kit.createKit(options).kavachSaveShards(cid, { keyShards }),
  kavachSetAccessConditions: (cid, options) =>
    kit.createKit(options).kavachSetAccessConditions(cid, { conditions: [condition] }),
  kavachShare: (cid, options) => kit.createKit(options).kavachShare(cid, { shareTo: evm }),
  kavachTransferOwnership: (cid, options) => kit.createKit(options).kavachTransferOwnership(cid, { newOwner: evm }),
  listBlobs: (value, options) => kit.createKit(options).listBlobs(value),
  listPossessionProofs: (value, options) => kit.createKit(options).listPossessionProofs(value),
  pinCid: (value, options) => kit.createKit(options).pinCid(value),
  requestPossessionProof: (value, options) => kit.createKit(options).requestPossessionProof(value),
  readEncryptedFolder: (value, options) => kit.createKit(options).readEncryptedFolder(value),
  revokeEncryptedFolder: (cid, options) => kit.createKit(options).revokeEncryptedFolder(cid, { revokeTo: evm }),
  shareEncryptedFolder: (cid, options) => kit.createKit(options).shareEncryptedFolder(cid, { shareTo: evm }),
};

/** Their requests name blocks, always in version 1. */
const readingBlocks: typeof takingCid = {
  openFile: (cid, options) => kit.createKit(options).openFile(cid),
  openEncrypted: (cid, options) => kit.createKit(options).openEncrypted(cid),
  listFolder: (cid, options) => kit.createKit(options).listFolder(cid).next(),
};

const cidForms = {
  "version 0": "QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn",
  base32: "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e",
  base58: "zb2rhe5P4gXftAwvA4eXQ5HJwsER2owDyS9sKaQRRVQPn93bA",
  base16: "f01551220b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9",
};
const notCids = [
  "",
  "hello",
  ` ${cidForms.base32}`,
  `${cidForms.base32}\n`,
  `/ipfs/${cidForms.base32}`,
  `${cidForms["version 0"]}/file.txt`,
  `${cidForms["version 0"]}?x`,
  cidForms["version 0"].slice(1),
  `${cidForms.base16}0`,
];

const refusing = Object.entries({ ...takingCid, ...readingBlocks });

test.each(refusing)("%s refuses values that are not a CID, and sends nothing", async (_, call) => {
  const { url, requests } = await createServer(() => undefined);
  for (const cid of notCids) {
    const { code, message } = await failure(call(cid, optionsFor(url)));
    expect([code, message], JSON.stringify(cid)).toEqual(["INVALID_CID", "Invalid CID"]);
  }
  expect(requests).toEqual([]);
});

test.each(Object.entries(takingCid))(
  "%s takes a content id in each of its forms, and sends it as it is",
  async (_, call) => {
    for (const cid of Object.values(cidForms)) {
      const { url, requests } = await createServer((__, response) => sendJson(response, { message: "no" }, 400));
      // An inspection reports refusals; every other call fails with them.
      await call(cid, optionsFor(url)).catch(() => undefined);
      // Blocks are requested in one form.
      const sent = requests.find(({ path }) => !path.startsWith("/ipfs/"));
      expect(`${sent?.path} ${sent?.query["cid"]} ${sent?.body}`).toContain(cid);
    }
  },
);

test.each(Object.entries(takingCid))("%s sends an upper-case CID in lower case", async (_, call) => {
  for (const cid of [cidForms.base32, cidForms.base16]) {
    const { url, requests } = await createServer((__, response) => sendJson(response, { message: "no" }, 400));
    await call(cid.toUpperCase(), optionsFor(url)).catch(() => undefined);
    const [sent] = requests;
    expect(`${sent?.path} ${sent?.query["cid"]} ${sent?.body}`).toContain(cid);
  }
});

/** Sends nothing, and has tests of its own. */
const offline = ["commitToKey"];

test("the lists above have every public function that takes a CID", () => {
  const named = Object.entries(kit).flatMap(([name, value]) =>
    /^(async )?function \w+\(cid\b/.test(String(value)) ? [name] : [],
  );
  expect(named.filter((name) => !(name in takingCid || name in readingBlocks))).toEqual(offline);
  expect(named.length).toBeGreaterThan(10);
});

/** Every public function that takes an address, with the role of the address. */
const takingAddress: Record<string, (address: string, options: Options) => Promise<unknown>> = {
  "getAuthMessage, owner": (value, options) => kit.createKit(options).getAuthMessage(value),
  "getOneTimeMessage, owner": (value, options) => kit.createKit(options).getOneTimeMessage(value),
  "createApiKey, owner": (address, { endpoints }) => kit.createApiKey({ address, signedMessage: signature, endpoints }),
  "createOneTimeToken, signer": (address, { endpoints }) =>
    kit.createOneTimeToken({ signer: { getAddress: () => address, signMessage: async () => signature }, endpoints }),
  "kavachGetAuthMessage, owner": (value, options) => kit.createKit(options).kavachGetAuthMessage(value),
  "kavachGetJwt, owner": (address, options) => kit.createKit(options).kavachGetJwt(address, { signature }),
  "kavachRefreshJwt, owner": (address, options) =>
    kit.createKit(options).kavachRefreshJwt(address, { refreshToken: "r:1" }),
  "kavachRecoverShards, owner": (address, options) =>
    kit.createKit(options).kavachRecoverShards(cidForms.base32, { address, authToken }),
  "decrypt, owner": (address, options) => kit.createKit(options).decrypt(cidForms.base32, { address, authToken }),
  "kavachInspect, owner": (address, options) =>
    kit.createKit(options).kavachInspect(cidForms.base32, { address, authToken }),
  "kavachRepair, owner": (address, options) =>
    kit.createKit(options).kavachRepair(cidForms.base32, { address, authToken }),
  "kavachSaveShards, owner": (address, options) =>
    kit.createKit(options).kavachSaveShards(cidForms.base32, { address, authToken, keyShards }),
  "kavachSaveShards, shared to": (shareTo, options) =>
    kit.createKit(options).kavachSaveShards(cidForms.base32, { keyShards, shareTo }),
  "kavachSetAccessConditions, owner": (address, options) =>
    kit.createKit(options).kavachSetAccessConditions(cidForms.base32, { address, authToken, conditions: [condition] }),
  "kavachRecoverShards, of whom the account is a delegate": (ownerAddress, options) =>
    kit.createKit(options).kavachRecoverShards(cidForms.base32, { ownerAddress }),
  "kavachInspect, of whom the account is a delegate": (ownerAddress, options) =>
    kit.createKit(options).kavachInspect(cidForms.base32, { ownerAddress }),
  "kavachSetDelegates, owner": (address, options) =>
    kit.createKit(options).kavachSetDelegates(evm, { address, authToken }),
  "kavachSetDelegates, delegate": (delegate, options) => kit.createKit(options).kavachSetDelegates([delegate]),
  "kavachShare, owner": (address, options) =>
    kit.createKit(options).kavachShare(cidForms.base32, { address, authToken, shareTo: evm }),
  "kavachShare, shared to": (shareTo, options) =>
    kit.createKit(options).kavachShare(cidForms.base32, { shareTo: [shareTo] }),
  "kavachRevoke, owner": (address, options) =>
    kit.createKit(options).kavachRevoke(cidForms.base32, { address, authToken, revokeTo: evm }),
  "kavachRevoke, revoked": (revokeTo, options) => kit.createKit(options).kavachRevoke(cidForms.base32, { revokeTo }),
  "kavachTransferOwnership, owner": (address, options) =>
    kit.createKit(options).kavachTransferOwnership(cidForms.base32, { address, authToken, newOwner: evm }),
  "kavachTransferOwnership, new owner": (newOwner, options) =>
    kit.createKit(options).kavachTransferOwnership(cidForms.base32, { newOwner }),
};

const notAddresses = [
  "",
  "me",
  evm.slice(2),
  `${evm}0`,
  `${evm}\n`,
  ` ${evm}`,
  "vitalik.eth",
  base58.slice(1),
  `${base58}1`,
  // In mixed case, with a wrong checksum.
  evm.replace("8b", "8B"),
];

test.each(Object.entries(takingAddress))(
  "%s: refuses values that are not an address, and sends nothing",
  async (_, call) => {
    const { url, requests } = await createServer(() => undefined);
    for (const address of notAddresses) {
      const { code, message } = await failure(call(address, optionsFor(url)));
      expect([code, message], JSON.stringify(address)).toEqual(["INVALID_ADDRESS", "Invalid public Key"]);
    }
    expect(requests).toEqual([]);
  },
);

test.each(Object.entries(takingAddress))(
  "%s: an EVM address is sent in lower case, a base58 one as it is",
  async (_, call) => {
    const forms = [
      [getAddress(evm), evm],
      [`0x${evm.slice(2).toUpperCase()}`, evm],
      [base58, base58],
    ] as const;
    for (const [passed, sent] of forms) {
      const { url, requests } = await createServer((__, response) => sendJson(response, { message: "no" }, 400));
      await call(passed, optionsFor(url, "0x00000000000000000000000000000000000000aa")).catch(() => undefined);
      // A decryption also downloads the file, for nobody in particular.
      const request = requests.find(({ path }) => !path.startsWith("/api/v0/cat/"));
      const sentText = `${request?.path} ${request?.query["publicKey"]} ${request?.body}`;
      expect(sentText).toContain(sent);
      if (passed !== sent) expect(sentText).not.toContain(passed);
    }
  },
);

test("uploads with an invalid owner or an invalid address to share with send nothing", async () => {
  const { url, requests } = await createServer(() => undefined);
  for (const wrong of [{ address: "me" }, { shareTo: "me" }, { shareTo: [] }, { shareTo: [evm, "me"] }]) {
    for (const upload of [
      () => kit.uploadEncrypted(bytes, incomplete({ ...optionsFor(url), ...wrong })),
      () => kit.uploadTextEncrypted("t", incomplete({ ...optionsFor(url), ...wrong })),
      () => kit.uploadEncryptedFolder(bytes, incomplete({ ...optionsFor(url), name: "folder", ...wrong })),
    ]) {
      expect(await failure(upload())).toMatchObject({ code: "INVALID_ADDRESS", message: "Invalid public Key" });
    }
  }
  expect(requests).toEqual([]);
});
