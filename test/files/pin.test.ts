import * as dagPb from "@ipld/dag-pb";
import { Wallet } from "ethers";
import { UnixFS } from "ipfs-unixfs";
import { CID } from "multiformats/cid";
import { describe, expect, test } from "vitest";
import { createApiKey, createKit, type PinOptions, pinCid } from "../../src/index.ts";
import { devnetForTests } from "../support/devnet-wire.ts";
import { failure } from "../support/failure.ts";
import { cid } from "../support/fixtures.ts";
import { createServer, endpointsAt, sendJson } from "../support/http-server.ts";

const devnet = devnetForTests({ dataLimit: 1_000, unkind: true });
const otherCid = "QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn";

/** Creates a kit of a new account. */
async function createAccount() {
  const { endpoints } = devnet();
  const signer = Wallet.createRandom();
  return createKit({ endpoints, pauseMs: 0, signer, apiKey: await createApiKey({ signer, endpoints }) });
}

/** Uploads bytes from another account; returns their content id. */
async function uploadElsewhere(size: number): Promise<string> {
  const [file] = await (await createAccount()).upload(crypto.getRandomValues(new Uint8Array(size)), { name: "theirs" });
  return file?.Hash ?? "";
}

test("what somebody else has uploaded appears in the listing, once, and counts", async () => {
  const stored = await uploadElsewhere(100);
  const kit = await createAccount();
  expect(await kit.pinCid(stored, { fileName: "mine.jpg" })).toMatchObject({ cid: stored });
  await kit.pinCid(stored, { fileName: "again.jpg" });
  const { fileList } = await kit.listFiles();
  expect(fileList).toMatchObject([{ cid: stored, fileName: "mine.jpg", fileSizeInBytes: "100", encryption: false }]);
  expect((await kit.getBalance()).dataUsed).toBe(100);
  await kit.deleteFile(fileList[0]?.id ?? "");
  expect((await kit.getBalance()).dataUsed).toBe(0);
  expect(await kit.download(stored)).toHaveLength(100);
});

test("without a name the network chooses one, and any form of the id is the same content", async () => {
  const stored = await uploadElsewhere(10);
  const kit = await createAccount();
  await kit.pinCid(stored.toUpperCase());
  expect((await kit.listFiles()).fileList).toMatchObject([{ cid: stored, fileName: stored }]);
});

test("a pinned file that is encrypted is listed as such, and does not open", async () => {
  const [file] = await (await createAccount()).uploadTextEncrypted("secret");
  const kit = await createAccount();
  const { Hash } = file ?? { Hash: "" };
  await kit.pinCid(Hash);
  expect((await kit.listFiles()).fileList).toMatchObject([{ cid: Hash, encryption: true }]);
  expect(await failure(kit.decrypt(Hash))).toMatchObject({ code: "NODE_REFUSED", message: "Access Denied" });
});

describe("refused by the network", () => {
  const refused = async (call: Promise<unknown>) => (await failure(call)).details;

  test("content that it does not find", async () => {
    const kit = await createAccount();
    expect(await refused(kit.pinCid(cid))).toMatchObject({ status: 404, serverMessage: "Content not found" });
    expect((await kit.listFiles()).fileList).toEqual([]);
  });

  test("a file whose bytes are those of a node that states a size, and leads to blocks that nobody has stored", async () => {
    const Data = new UnixFS({ type: "file", blockSizes: [5n] }).marshal();
    const node = dagPb.encode({ Data, Links: [{ Name: "", Hash: CID.parse(cid), Tsize: 5 }] });
    const [file] = await (await createAccount()).upload(node, { name: "node" });
    const asNode = CID.createV1(dagPb.code, CID.parse(file?.Hash ?? "").multihash).toString();
    const kit = await createAccount();
    expect(await refused(kit.pinCid(asNode))).toMatchObject({ status: 404, serverMessage: "Content not found" });
    await kit.pinCid(file?.Hash ?? "");
    expect((await kit.listFiles()).fileList).toMatchObject([{ fileSizeInBytes: String(node.length) }]);
  });

  test("an API key that is none", async () => {
    const kit = await createAccount();
    expect(await refused(kit.pinCid(cid, { apiKey: "wrong" }))).toMatchObject({ status: 401 });
  });

  test("more than the account may store", async () => {
    const kit = await createAccount();
    await kit.upload(new Uint8Array(500));
    expect(await refused(kit.pinCid(await uploadElsewhere(501)))).toMatchObject({ status: 403 });
    await kit.pinCid(await uploadElsewhere(500));
  });
});

describe("confirmations, whose fields the network does not document", () => {
  /** Pins at a server with this response; returns the result, and the number of requests. */
  async function pinAt(response: unknown, options: Partial<PinOptions> = {}) {
    const { url, requests } = await createServer((_, reply) => sendJson(reply, response));
    const pinned = pinCid(cid, { apiKey: "key", endpoints: endpointsAt(url), ...options });
    return { pinned, requests };
  }

  test.each([null, "done", [], {}, { cid: "" }, { cid: 5, data: null }])("%j is one", async (response) => {
    const { pinned } = await pinAt(response);
    expect(await pinned).toMatchObject({ cid });
  });

  test("other fields are kept", async () => {
    const { pinned } = await pinAt({
      id: "7",
      data: { cid: "f01551220b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9" },
    });
    expect(await pinned).toMatchObject({ cid, id: "7" });
  });

  test.each([{ cid: otherCid }, { data: { cid: otherCid } }, { cid: "nonsense" }])(
    "%j is for other content, and not sent again",
    async (response) => {
      const { pinned, requests } = await pinAt(response);
      const error = await failure(pinned);
      expect(error).toMatchObject({ code: "INVALID_RESPONSE", message: "The API host pinned other content" });
      expect(requests).toHaveLength(1);
    },
  );
});
