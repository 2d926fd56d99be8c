import { readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Wallet } from "ethers";
import { describe, expect, test } from "vitest";
import type { Account } from "../../packages/devnet/src/index.ts";
import { createTree, encodeCar } from "../../packages/devnet/test/car.ts";
import { createSolanaWallet, toBase58 } from "../../packages/devnet/test/solana.ts";
import { cat } from "../support/devnet-wire.ts";
import { getJwtThroughIncumbent, openWithIncumbent, setStage, signThroughIncumbent } from "./stage.ts";

type Item = { data: { Name: string; Hash: string; Size: string } };
type Items = { data: { Name: string; Hash: string }[] };

const stage = setStage({ proofDelayMs: 0, chain: true });

/** A condition that admits holders of `amount` units of a token of the devnet's chain. */
function holds(amount: string, id = 1) {
  const { chain } = stage().devnet;
  return {
    id,
    chain: "Polygon",
    standardContractType: "ERC20",
    contractAddress: chain?.network.tokens.usdc?.address,
    method: "balanceOf",
    parameters: [":userAddress"],
    returnValueTest: { comparator: ">=", value: amount },
  };
}

function stranger(): Account {
  const { address, privateKey } = Wallet.createRandom();
  return { address: address.toLowerCase(), privateKey };
}

describe("files", () => {
  test("a CAR file", async () => {
    const { devnet, incumbent, single, apiKey, contents } = stage();
    const { root, blocks } = await createTree({ file: contents["single.bin"] }, 262_144);
    const path = join(dirname(single), "single.car");
    await writeFile(path, encodeCar([root], blocks));
    const { data } = await incumbent.call<Item>("uploadCAR", path, apiKey);
    expect(data).toEqual({ Name: "single.car", Hash: root.toString(), Size: expect.stringMatching(/^\d+$/) });
    expect(contents["single.bin"].equals(await cat(devnet, data.Hash))).toBe(true);
  });

  test("the deals of a file", async () => {
    const { incumbent, single, apiKey } = stage();
    const { data } = await incumbent.call<Item>("upload", single, apiKey);
    const deals = await incumbent.call<{ data: unknown[] }>("dealStatus", data.Hash);
    expect(deals.data).toMatchObject([{ payloadCid: data.Hash, dealStatus: expect.any(String) }]);
  });

  test("a quote for a folder and for a file", async () => {
    const { incumbent, folder, single, apiKey } = stage();
    const { data } = await incumbent.call<{ data: { metaData: object[]; dataLimit: number; totalSize: number } }>(
      "getQuote",
      folder,
      apiKey,
    );
    expect([data.metaData.length, data.totalSize]).toEqual([2, 300_000 + Buffer.byteLength("Grüße aus dem Ordner\n")]);
    expect(data.dataLimit).toBeGreaterThan(0);
    const file = await incumbent.call("getQuote", single, apiKey);
    expect(file).toMatchObject({ data: { totalSize: 1_000_000, metaData: [{ fileName: "single.bin" }] } });
  });
});

test("a wallet", async () => {
  const { data } = await stage().incumbent.call<{ data: { encryptedWallet: string } }>("createWallet", "a password");
  expect(JSON.parse(data.encryptedWallet)).toMatchObject({
    version: 3,
    address: expect.stringMatching(/^[0-9a-f]{40}$/),
  });
});

test("IPNS names: generated, published, listed, removed", async () => {
  const { devnet, incumbent, owner, apiKey } = stage();
  const { data: text } = await incumbent.call<Item>("uploadText", "published", apiKey, "page.txt");
  const { data: key } = await incumbent.call<{ data: { ipnsName: string; ipnsId: string } }>("generateKey", apiKey);
  const published = await incumbent.call("publishRecord", text.Hash, key.ipnsName, apiKey);
  expect(published).toEqual({ data: { Name: key.ipnsId, Value: `/ipfs/${text.Hash}` } });
  const response = await fetch(`${devnet.endpoints.gateway}/ipns/${key.ipnsId}`);
  expect(await response.text()).toBe("published");
  const listed = { ...key, publicKey: owner.address, cid: text.Hash, lastUpdate: expect.any(Number) };
  expect(await incumbent.call("getAllKeys", apiKey)).toEqual({ data: [listed] });
  const removed = await incumbent.call("removeKey", key.ipnsName, apiKey);
  expect(removed).toEqual({ data: { Keys: [{ Name: key.ipnsName, Id: key.ipnsId }] } });
  const again = incumbent.call("removeKey", key.ipnsName, apiKey);
  await expect(again).rejects.toThrow("Request failed with status code 500");
});

describe("access conditions", () => {
  test("set by the SDK, let only those who meet them open a file", async () => {
    const { incumbent, owner, friend, apiKey } = stage();
    const jwt = await getJwtThroughIncumbent(incumbent, owner);
    const { data } = await incumbent.call<Items>("textUploadEncrypted", "for holders", apiKey, owner.address, jwt);
    const cid = data[0]?.Hash ?? "";
    await expect(openWithIncumbent(incumbent, friend, cid)).rejects.toThrow("Access Denied");

    const conditions = [holds("1"), holds("2", 2)];
    const signature = await signThroughIncumbent(incumbent, owner);
    const rule = "([1] and [2])";
    const applied = await incumbent.call("applyAccessCondition", owner.address, cid, signature, conditions, rule);
    expect(applied).toEqual({ data: { cid, status: "Success" } });
    expect((await openWithIncumbent(incumbent, friend, cid)).toString()).toBe("for holders");
    await expect(openWithIncumbent(incumbent, stranger(), cid)).rejects.toThrow("Access Denied");

    const expected = { aggregator: rule, owner: owner.address, cid, sharedTo: [], conditions };
    expect(await incumbent.call("getAccessConditions", cid)).toMatchObject({ data: expected });
    expect(await incumbent.call("kavach.getAccessCondition", cid)).toMatchObject({ data: expected });
  });

  test("set by kavach 0.2.1, together with the shards", async () => {
    const { incumbent, owner, friend } = stage();
    const cid = "QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o";
    const someone = stranger();
    const [ownerJwt, friendJwt] = [
      await getJwtThroughIncumbent(incumbent, owner),
      await getJwtThroughIncumbent(incumbent, friend),
    ];
    const strangerJwt = await getJwtThroughIncumbent(incumbent, someone);
    type Made = { masterKey: string; keyShards: unknown[] };
    const { masterKey, keyShards } = await incumbent.call<Made>("kavach.generate");
    const condition = { ...holds("1"), parameters: [":holder"] };
    const lock = (conditions: unknown[], shards: unknown[]) => [
      "kavach.accessControl",
      ...[owner.address, cid, ownerJwt, conditions, undefined, "EVM", shards, "ACCESS_CONDITIONS"],
    ];
    const [name = "", ...args] = lock([condition], keyShards);
    expect(await incumbent.call(String(name), ...args)).toEqual({ isSuccess: true, error: null });

    const recover = (address: string, jwt: string, dynamicData: object) =>
      incumbent.call<{ shards: unknown[] }>("kavach.recoverShards", address, cid, jwt, 3, dynamicData);
    const { shards } = await recover(someone.address, strangerJwt, { ":holder": owner.address });
    expect(await incumbent.call("kavach.recoverKey", shards)).toEqual({ masterKey, error: null });
    const refused = { shards: [], error: expect.objectContaining({ statusCode: 403 }) };
    expect(await recover(someone.address, strangerJwt, {})).toEqual(refused);

    const [again = "", ...update] = lock([holds("1")], []);
    expect(await incumbent.call(String(again), ...update)).toEqual({ isSuccess: true, error: null });
    expect(await recover(someone.address, strangerJwt, { ":holder": owner.address })).toEqual(refused);
    expect((await recover(friend.address, friendJwt, {})).shards).toHaveLength(3);
    const revoked = await incumbent.call("kavach.revokeAccess", owner.address, cid, ownerJwt, [someone.address]);
    expect(revoked).toEqual({ isSuccess: true, error: null });
  });

  test("that only a node can refuse, every node refuses", async () => {
    const { incumbent, owner, apiKey } = stage();
    const jwt = await getJwtThroughIncumbent(incumbent, owner);
    const { data } = await incumbent.call<Items>("textUploadEncrypted", "a string", apiKey, owner.address, jwt);
    const wrong = "([1] and [7])";
    const conditions = [holds("1"), holds("2", 2)];
    const applied = incumbent.call("applyAccessCondition", owner.address, data[0]?.Hash, jwt, conditions, wrong);
    await expect(applied).rejects.toThrow();
  });
});

test("an owner with a Solana wallet encrypts, shares and opens", async () => {
  const { incumbent, apiKey, friend } = stage();
  const wallet = createSolanaWallet();
  const sign = async () => {
    const { message } = await incumbent.call<{ message: string }>("kavach.getAuthMessage", wallet.address);
    return toBase58(wallet.sign(message));
  };
  const { JWT } = await incumbent.call<{ JWT: string }>("kavach.getJWT", wallet.address, await sign());
  const { data } = await incumbent.call<Items>("textUploadEncrypted", "sol", apiKey, wallet.address, JWT);
  const cid = data[0]?.Hash ?? "";
  await incumbent.call("shareFile", wallet.address, [friend.address], cid, await sign());
  expect((await openWithIncumbent(incumbent, friend, cid)).toString()).toBe("sol");
  const { data: own } = await incumbent.call<{ data: { key: string } }>(
    "fetchEncryptionKey",
    cid,
    wallet.address,
    await sign(),
  );
  const opened = await incumbent.call<ArrayBuffer>("decryptFile", cid, own.key);
  expect(Buffer.from(opened).toString()).toBe("sol");
});

test("every call of the incumbent is tested, except those to a service that this network does not have", async () => {
  const here = dirname(new URL(import.meta.url).pathname);
  const files = (await readdir(here)).filter((file) => file.endsWith(".ts"));
  const text = (await Promise.all(files.map((file) => readFile(join(here, file), "utf8")))).join("\n");
  const names = await stage().incumbent.call<string[]>("names");
  const untried = names.filter((name) => !text.includes(`"${name}"`));
  expect(names.length).toBeGreaterThan(30);
  // shards.test.ts tests splitting a key, in its own process
  expect(untried.join(" ")).toBe("walrusBlobs deleteFileWalrus kavach.shardKey");
});
