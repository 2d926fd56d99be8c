import { Wallet } from "ethers";
import { expect, test } from "vitest";
import { createSolanaWallet, toBase58 } from "../../packages/devnet/test/solana.ts";
import {
  createApiKey,
  createKit,
  createOneTimeToken,
  decrypt,
  getAuthMessage,
  kavachGetAccessConditions,
  kavachGetAuthMessage,
  kavachGetJwt,
  kavachInspect,
  kavachRecoverShards,
  kavachRefreshJwt,
  kavachRepair,
  kavachRevoke,
  kavachSetAccessConditions,
  kavachShare,
  kavachTransferOwnership,
  listFiles,
  type Signer,
  uploadEncrypted,
  uploadText,
} from "../../src/index.ts";
import { solanaSamples } from "../access-conditions/samples.ts";
import { account, devnetForTests } from "../support/devnet-wire.ts";
import { failure } from "../support/failure.ts";

const devnet = devnetForTests({ chain: false });

/** Creates a signer with a new Solana key. */
function createSolanaSigner() {
  const { address, sign } = createSolanaWallet();
  const signMessage = async (message: string) => toBase58(sign(message));
  return { address, signMessage, getAddress: () => address } satisfies Signer & { address: string };
}

const as = (signer: Signer) => ({ signer, endpoints: devnet().endpoints, pauseMs: 0 });

async function uploadSecret(owner: Signer, more: object = {}): Promise<string> {
  const apiKey = await createApiKey({ signer: owner, endpoints: devnet().endpoints });
  const [file] = await uploadEncrypted(new TextEncoder().encode("on Solana"), { ...as(owner), apiKey, ...more });
  return file?.Hash ?? "";
}

const opened = async (cid: string, who: Signer) => new TextDecoder().decode(await decrypt(cid, as(who)));
const refused = async (cid: string, who: Signer) => (await failure(decrypt(cid, as(who)))).message;

test("an API key, a listing and a one-time token keep the case of the address", async () => {
  const owner = createSolanaSigner();
  const { endpoints } = devnet();
  const { message } = await getAuthMessage(owner.address, { endpoints });
  const signedMessage = await owner.signMessage(message);
  const apiKey = await createApiKey({ address: owner.address, signedMessage, endpoints });
  const token = await createOneTimeToken({ signer: owner, endpoints });
  expect(token.startsWith(`${owner.address}$`)).toBe(true);
  await uploadText("by token", { apiKey: token, endpoints, name: "token.txt" });
  const { fileList } = await listFiles({ apiKey, endpoints });
  expect(fileList).toMatchObject([{ fileName: "token.txt", publicKey: owner.address }]);
});

test("a JWT is requested and refreshed step by step, and is accepted like any other", async () => {
  const owner = createSolanaSigner();
  const { endpoints } = devnet();
  const cid = await uploadSecret(owner);
  const { message } = await kavachGetAuthMessage(owner.address, { endpoints });
  const first = await kavachGetJwt(owner.address, { signature: await owner.signMessage(message), endpoints });
  const { token } = await kavachRefreshJwt(owner.address, { refreshToken: first.refreshToken, endpoints });
  const own = { address: owner.address, authToken: token, endpoints, pauseMs: 0 };
  expect((await kavachRecoverShards(cid, own)).shards).toHaveLength(3);
  const other = createSolanaSigner();
  const wrong = await failure(kavachGetJwt(other.address, { signature: await owner.signMessage(message), endpoints }));
  expect(wrong).toMatchObject({ code: "INVALID_SIGNATURE", message: "Invalid Signature" });
});

test("files are shared with Solana and EVM addresses, and revoked", async () => {
  const [owner, friend, stranger] = [createSolanaSigner(), createSolanaSigner(), createSolanaSigner()];
  const evm = new Wallet(account(devnet(), 1).privateKey);
  const cid = await uploadSecret(owner);
  expect(await opened(cid, owner)).toBe("on Solana");
  await kavachShare(cid, { ...as(owner), shareTo: [friend.address, evm.address] });
  expect([await opened(cid, friend), await opened(cid, evm)]).toEqual(["on Solana", "on Solana"]);
  expect(await refused(cid, stranger)).toBe("Access Denied");
  await kavachRevoke(cid, { ...as(owner), revokeTo: [friend.address] });
  expect(await refused(cid, friend)).toBe("Access Denied");
  expect(await opened(cid, evm)).toBe("on Solana");
  const { sharedTo } = await kavachGetAccessConditions(cid, { endpoints: devnet().endpoints });
  expect(sharedTo).toEqual([evm.address.toLowerCase()]);
});

test("an upload is shared with a Solana address while its key is saved", async () => {
  const friend = createSolanaSigner();
  const cid = await uploadSecret(new Wallet(account(devnet(), 2).privateKey), { shareTo: friend.address });
  expect(await opened(cid, friend)).toBe("on Solana");
});

test("ownership is transferred from EVM to Solana and on to Solana, and each owner may share", async () => {
  const [first, second, friend] = [createSolanaSigner(), createSolanaSigner(), createSolanaSigner()];
  const evm = new Wallet(account(devnet(), 3).privateKey);
  const cid = await uploadSecret(evm);
  await kavachTransferOwnership(cid, { ...as(evm), newOwner: first.address });
  await kavachShare(cid, { ...as(first), shareTo: friend.address });
  await kavachTransferOwnership(cid, { ...as(first), newOwner: second.address, resetSharedTo: false });
  expect([await opened(cid, second), await opened(cid, friend)]).toEqual(["on Solana", "on Solana"]);
  const late = await failure(kavachShare(cid, { ...as(first), shareTo: evm.address }));
  expect(late).toMatchObject({ code: "NODE_REFUSED", message: "Access Denied", details: { nodesDone: [] } });
});

test("a Solana owner sets conditions, during the upload and later", async () => {
  const owner = createSolanaSigner();
  const { token, native } = solanaSamples;
  const cid = await uploadSecret(owner, { chainType: "SOLANA", conditions: [token] });
  const { endpoints } = devnet();
  expect(await kavachGetAccessConditions(cid, { endpoints })).toMatchObject({
    owner: owner.address,
    conditions: [],
    conditionsSolana: [token],
  });
  await kavachSetAccessConditions(cid, { ...as(owner), chainType: "SOLANA", conditions: [native] });
  expect(await kavachGetAccessConditions(cid, { endpoints })).toMatchObject({ conditionsSolana: [native] });
  expect(await opened(cid, owner)).toBe("on Solana");
});

test("only its Solana owner can inspect and repair a key", async () => {
  const [owner, friend] = [createSolanaSigner(), createSolanaSigner()];
  const action = { kind: "respond", json: { message: "success" } } as const;
  const mend = devnet().faults.add({ service: "keyNodes", node: 2, method: "POST", path: "/api/setSharedKey", action });
  const cid = await uploadSecret(owner, { shareTo: friend.address });
  mend();
  expect(await kavachInspect(cid, as(owner))).toMatchObject({ healthy: false, key: "recoverable" });
  expect((await failure(kavachRepair(cid, as(friend)))).code).toBe("NOT_OWNER");
  expect(await kavachRepair(cid, as(owner))).toMatchObject({ sharedTo: [friend.address] });
  expect(await kavachInspect(cid, as(friend))).toMatchObject({ healthy: true });
});

test("a kit accepts a Solana wallet as its signer; the error for one that returns bytes states what is expected", async () => {
  const owner = createSolanaSigner();
  const kit = createKit(as(owner));
  const apiKey = await kit.createApiKey();
  const [file] = await kit.uploadTextEncrypted("by kit", { apiKey });
  expect(new TextDecoder().decode(await kit.decrypt(file?.Hash ?? ""))).toBe("by kit");

  const bytes = { ...createSolanaSigner(), signMessage: async () => new Uint8Array(64) as never };
  for (const call of [createApiKey, createOneTimeToken]) {
    expect(await failure(call({ signer: bytes, endpoints: devnet().endpoints }))).toMatchObject({
      code: "INVALID_OPTION",
      message: "Invalid option signer: expected a signMessage() that returns the signature as a string",
    });
  }
  expect((await failure(decrypt(file?.Hash ?? "", as(bytes)))).code).toBe("INVALID_OPTION");
});
