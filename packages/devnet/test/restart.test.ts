import { Wallet } from "ethers";
import { expect, onTestFinished, test } from "vitest";
import {
  createApiKey,
  createKit,
  createOneTimeToken,
  decrypt,
  getProof,
  kavachGetAccessConditions,
  type Signer,
} from "../../../src/index.ts";
import { account, add, cat, getJwt, send, sign } from "../../../test/support/devnet-wire.ts";
import { scratch } from "../../../test/support/files.ts";
import { type Devnet, type DevnetOptions, startDevnet } from "../src/index.ts";
import { connectToken, createPayer } from "./x402-payer.ts";

// What a network knows in a data folder, after all of its process but the folder is gone.

/** Starts a devnet in a folder, which the returned function starts again. */
async function startIn(options: DevnetOptions = {}) {
  const dataDir = await scratch();
  let devnet: Devnet | undefined;
  onTestFinished(() => devnet?.close());
  return async function restart(changed: DevnetOptions = {}): Promise<Devnet> {
    await devnet?.close();
    devnet = await startDevnet({ dataDir, proofDelayMs: 0, ...options, ...changed });
    return devnet;
  };
}

const walletsOf = (devnet: Devnet) => devnet.accounts.map(({ privateKey }) => new Wallet(privateKey));

const kitOf = ({ endpoints }: Devnet, signer: Signer, apiKey: string) =>
  createKit({ endpoints, signer, apiKey, pauseMs: 0 });

async function openText(cid: string, signer: Signer, { endpoints }: Devnet, ownerAddress?: string): Promise<string> {
  const asDelegate = ownerAddress === undefined ? {} : { ownerAddress };
  return Buffer.from(await decrypt(cid, { signer, endpoints, pauseMs: 0, ...asDelegate })).toString();
}

test("accounts, API keys and listings are the same, without what was deleted", async () => {
  const restart = await startIn({ control: true });
  const before = await restart();
  const [owner, other] = walletsOf(before) as [Wallet, Wallet];
  const apiKey = await createApiKey({ signer: owner, endpoints: before.endpoints });
  const otherKey = await createApiKey({ signer: other, endpoints: before.endpoints });
  const kit = kitOf(before, owner, apiKey);
  for (const name of ["one.txt", "two.txt", "three.txt"]) await kit.uploadText(`text ${name}`, { name });
  await kitOf(before, other, otherKey).uploadText("text of another", { name: "other.txt" });
  const [, second] = (await kit.listFiles()).fileList;
  await kit.deleteFile(second?.id ?? "");
  const listed = await kit.listFiles();
  expect(listed.fileList.map(({ fileName }) => fileName)).toEqual(["three.txt", "one.txt"]);
  const described = (await send("GET", `${before.control}/`)).body as { accounts: { apiKey: string }[] };

  for (let times = 0; times < 2; times++) {
    const after = await restart();
    expect(after.accounts).toEqual(before.accounts);
    expect((await send("GET", `${after.control}/`)).body).toMatchObject({ accounts: described.accounts });
    expect(await kitOf(after, owner, apiKey).listFiles()).toEqual(listed);
    expect(await kitOf(after, owner, apiKey).getBalance()).toMatchObject({ dataUsed: 26 });
    expect(await kitOf(after, owner, described.accounts[0]?.apiKey ?? "").listFiles()).toEqual(listed);
    expect((await kitOf(after, other, otherKey).listFiles()).fileList).toHaveLength(1);
  }
});

test("deleted bytes stay gone where the network is unkind", async () => {
  const restart = await startIn({ unkind: true });
  const before = await restart();
  const [owner] = walletsOf(before) as [Wallet];
  const apiKey = await createApiKey({ signer: owner, endpoints: before.endpoints });
  const kit = kitOf(before, owner, apiKey);
  const [kept, gone] = [await kit.uploadText("kept"), await kit.uploadText("gone")];
  const [newest] = (await kit.listFiles()).fileList;
  await kit.deleteFile(newest?.id ?? "");
  const after = await restart();
  expect(Buffer.from(await cat(after, kept[0]?.Hash ?? "")).toString()).toBe("kept");
  expect((await fetch(`${after.endpoints.gateway}/ipfs/${gone[0]?.Hash}`)).status).toBe(404);
});

test("encrypted files open for those who may open them, and for nobody else", async () => {
  const restart = await startIn();
  const before = await restart();
  const [owner, friend, stranger, heir, helper] = walletsOf(before) as [Wallet, Wallet, Wallet, Wallet, Wallet];
  const apiKey = await createApiKey({ signer: owner, endpoints: before.endpoints });
  const kit = kitOf(before, owner, apiKey);
  const upload = async (text: string) => (await kit.uploadTextEncrypted(text))[0]?.Hash ?? "";
  const [shared, revoked, given, ruled] = [
    await upload("shared"),
    await upload("revoked"),
    await upload("given"),
    await upload("ruled"),
  ];
  await kit.kavachShare(shared, { shareTo: [friend.address] });
  await kit.kavachShare(revoked, { shareTo: [friend.address, stranger.address] });
  await kit.kavachRevoke(revoked, { revokeTo: friend.address });
  await kit.kavachTransferOwnership(given, { newOwner: heir.address });
  const condition = {
    id: 1,
    chain: "Ethereum",
    standardContractType: "" as const,
    contractAddress: "",
    method: "getBlockNumber" as const,
    parameters: [],
    returnValueTest: { comparator: ">=" as const, value: "0" },
  };
  await kit.kavachSetAccessConditions(ruled, { conditions: [condition], decryptionType: "ACCESS_CONDITIONS" });
  const { token } = await getJwt(before, account(before, 0));
  for (let node = 1; node <= 5; node++) {
    const fields = { address: owner.address, allFilesAccess: [helper.address] };
    await send("POST", `${before.endpoints.keyNodes}/api/setAllFilesAccess/${node}`, fields, token);
  }
  const conditions = await kavachGetAccessConditions(ruled, { endpoints: before.endpoints });

  const after = await restart();
  expect(await openText(shared, owner, after)).toBe("shared");
  expect(await openText(shared, friend, after)).toBe("shared");
  expect(await openText(revoked, stranger, after)).toBe("revoked");
  expect(await openText(given, heir, after)).toBe("given");
  expect(await openText(shared, helper, after, owner.address)).toBe("shared");
  for (const [cid, who] of [
    [shared, stranger],
    [revoked, friend],
    [given, owner],
    [shared, helper],
  ] as const) {
    await expect(openText(cid, who, after)).rejects.toMatchObject({ code: "NODE_REFUSED" });
  }
  expect(await kavachGetAccessConditions(ruled, { endpoints: after.endpoints })).toEqual(conditions);
  expect(conditions.conditions).toEqual([condition]);
});

test("sign-ins continue: tokens, refresh tokens, and messages that were not signed yet", async () => {
  const restart = await startIn();
  const before = await restart();
  const [owner, other] = [account(before, 0), account(before, 1)];
  const used = await getJwt(before, owner);
  const unused = await getJwt(before, other);
  const exchange = ({ endpoints }: Devnet, { address }: { address: string }, refreshToken: string) =>
    send("PUT", `${endpoints.keyNodes}/api/message/get-jwt`, { address, refreshToken });
  expect((await exchange(before, owner, used.refreshToken)).status).toBe(200);
  const signer = new Wallet(owner.privateKey);
  const spent = await createOneTimeToken({ signer, endpoints: before.endpoints });
  expect((await add(before, spent, { a: "a" })).status).toBe(200);
  const unspent = await createOneTimeToken({ signer, endpoints: before.endpoints });
  const { body } = await send("GET", `${before.endpoints.keyNodes}/api/message/${other.address}`);
  const [{ message }] = body as [{ message: string }];
  const signature = await sign(other, message);
  const save = ({ endpoints }: Devnet, node: number, bearer: string) => {
    const fields = { address: other.address, cid: "any", payload: { key: "ab", index: "01" } };
    return send("POST", `${endpoints.keyNodes}/api/setSharedKey/${node}`, fields, bearer).then(({ status }) => status);
  };
  expect(await save(before, 1, signature)).toBe(200);

  const after = await restart();
  expect(await save(after, 1, unused.token)).toBe(200);
  expect((await exchange(after, owner, used.refreshToken)).status).toBe(406);
  expect((await exchange(after, other, unused.refreshToken)).status).toBe(200);
  expect((await exchange(after, other, unused.refreshToken)).status).toBe(406);
  expect((await add(after, spent, { a: "a" })).status).toBe(401);
  expect((await add(after, unspent, { a: "a" })).status).toBe(200);
  // each node accepts a signature once
  expect([await save(after, 1, signature), await save(after, 2, signature)]).toEqual([401, 200]);
});

test("names lead where they were last published to, until they are removed", async () => {
  const restart = await startIn();
  const before = await restart();
  const [owner] = walletsOf(before) as [Wallet];
  const apiKey = await createApiKey({ signer: owner, endpoints: before.endpoints });
  const kit = kitOf(before, owner, apiKey);
  const [first, last] = [await kit.uploadText("first"), await kit.uploadText("last")];
  const [published, unpublished, removed] = [
    await kit.ipnsGenerateKey(),
    await kit.ipnsGenerateKey(),
    await kit.ipnsGenerateKey(),
  ];
  for (const { ipnsName: keyName } of [published, removed]) {
    for (const [file] of [first, last]) await kit.ipnsPublishRecord({ cid: file?.Hash ?? "", keyName });
  }
  await kit.ipnsRemoveKey(removed.ipnsName);
  const records = await kit.ipnsListRecords();

  const after = await restart();
  const read = async (id: string) => (await fetch(`${after.endpoints.gateway}/ipns/${id}`)).text();
  expect(await kitOf(after, owner, apiKey).ipnsListRecords()).toEqual(records);
  expect(records).toHaveLength(2);
  expect(await read(published.ipnsId)).toBe("last");
  expect(JSON.parse(await read(removed.ipnsId))).toEqual({ message: "Not Found" });
  const keyName = unpublished.ipnsName;
  await kitOf(after, owner, apiKey).ipnsPublishRecord({ cid: first[0]?.Hash ?? "", keyName });
  expect(await read(unpublished.ipnsId)).toBe("first");
});

test("deals and proofs are the same, regardless of the order in which they are asked for", async () => {
  const restart = await startIn();
  const before = await restart();
  const [owner] = walletsOf(before) as [Wallet];
  const apiKey = await createApiKey({ signer: owner, endpoints: before.endpoints });
  const kit = kitOf(before, owner, apiKey);
  const cids = [(await kit.uploadText("one"))[0]?.Hash ?? "", (await kit.uploadText("two"))[0]?.Hash ?? ""];
  const prove = (index: 0 | 1, { endpoints }: Devnet) => getProof(cids[index] ?? "", { endpoints });
  const [one, two] = [await prove(0, before), await prove(1, before)];
  const pdp = async ({ endpoints }: Devnet) =>
    (await send("GET", `${endpoints.api}/api/lighthouse/pdp_deal_status?cid=${cids[0]}`)).body;
  await send("GET", `${before.endpoints.api}/api/lighthouse/pdp_deal_request?cid=${cids[0]}`, undefined, apiKey);
  const requested = await pdp(before);
  const after = await restart();
  expect(await prove(1, after)).toEqual(two);
  expect(await prove(0, after)).toEqual(one);
  expect(await pdp(after)).toEqual(requested);
  expect(requested).toMatchObject([{ dealStatus: "completed" }]);
});

test("files that were paid one by one are known, although the chain starts again", async () => {
  const restart = await startIn({ chain: true });
  const before = await restart();
  const [owner] = walletsOf(before) as [Wallet];
  const { body } = await createPayer(before, owner).pay();
  const priceOf = async ({ endpoints }: Devnet) =>
    (await send("GET", `${endpoints.x402}/api/renew/price?id=${body["id"]}`)).body;
  const known = await priceOf(before);
  const after = await restart();
  expect(await priceOf(after)).toEqual(known);
  expect(known).toMatchObject({ cid: body["cid"], currentExpiresAt: body["expiresAt"] });
  expect(await createPayer(after, owner).renew(body["id"])).toMatchObject({ status: 200 });
  const yearMs = 365 * 86_400_000;
  expect(await priceOf(after)).toMatchObject({ currentExpiresAt: Number(body["expiresAt"]) + yearMs });
});

test("a payment whose file was not stored is still honoured, and is not made again", async () => {
  const restart = await startIn({ chain: true, x402: { honours: true } });
  const before = await restart();
  const [owner] = walletsOf(before) as [Wallet];
  const payment = await createPayer(before, owner).prepareUpload();
  before.faults.add({ service: "x402", times: 1, action: { kind: "settle", how: "early-and-fail" } });
  expect(await createPayer(before, owner).upload(payment)).toMatchObject({ status: 500 });
  const after = await restart();
  const token = connectToken(after, owner);
  onTestFinished(() => token.provider.destroy());
  const funds = await token.balanceOf(owner.address);
  expect(await createPayer(after, owner).upload(payment)).toMatchObject({ status: 200 });
  expect(await token.balanceOf(owner.address)).toBe(funds);
});

test("what tests have set is not kept: faults, attacks, stopped nodes, prices and limits", async () => {
  const restart = await startIn({ control: true });
  const before = await restart();
  before.faults.add({ service: "api", action: { kind: "hang" } });
  before.attacks.add({ kind: "refuse-blocks" });
  before.stopNode(3);
  before.setTicker("FIL", 77);
  const after = await restart();
  for (const path of ["/faults", "/attacks"]) expect((await send("GET", after.control + path)).body).toEqual([]);
  expect((await send("GET", `${after.control}/`)).body).toMatchObject({ stoppedNodes: [] });
  expect((await send("GET", `${after.endpoints.api}/api/lighthouse/get_ticker?symbol=FIL`)).body).toBe(4);
});

test("other accounts may be chosen for a folder, and the former ones chosen again", async () => {
  const restart = await startIn();
  const random = (await restart()).accounts;
  const fixed = (await restart({ accounts: "fixed" })).accounts;
  expect(fixed[0]?.address).toBe("0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266");
  expect((await restart()).accounts).toEqual(random);
});
