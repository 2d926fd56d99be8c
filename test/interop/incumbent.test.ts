import { Wallet } from "ethers";
import { describe, expect, test } from "vitest";
import { account, cat, send } from "../support/devnet-wire.ts";
import { getJwtThroughIncumbent, openWithIncumbent, setStage, signThroughIncumbent } from "./stage.ts";

type Items = { data: { Name: string; Hash: string; Size: string }[] };
type Item = { data: { Name: string; Hash: string; Size: string } };

const stage = setStage();

describe("accounts and plain uploads", () => {
  test("an API key", async () => {
    const { devnet, incumbent } = stage();
    const someone = account(devnet, 3);
    const url = `${devnet.endpoints.api}/api/auth/get_auth_message?publicKey=${someone.address}`;
    const message = String((await send("GET", url)).body);
    expect(message).toMatch(/^Please prove you are the owner/);
    const signature = await new Wallet(someone.privateKey).signMessage(message);
    const { data } = await incumbent.call<{ data: { apiKey: string } }>("getApiKey", someone.address, signature);
    const balance = await incumbent.call("getBalance", data.apiKey);
    expect(balance).toMatchObject({ data: { dataUsed: 0, dataLimit: expect.any(Number) } });
  });

  test("a file, its info, the listing and its deletion", async () => {
    const { devnet, incumbent, single, contents } = stage();
    const token = await getJwtThroughIncumbent(incumbent, account(devnet, 2));
    const { data } = await incumbent.call<Item>("upload", single, token);
    expect(data).toMatchObject({ Name: "single.bin", Hash: expect.stringMatching(/^bafy/) });
    expect(contents["single.bin"].equals(await cat(devnet, data.Hash))).toBe(true);
    expect(await incumbent.call("getFileInfo", data.Hash)).toMatchObject({ data: { fileSizeInBytes: "1000000" } });
    const uploads = await incumbent.call<{ data: { fileList: { id: string }[] } }>("getUploads", token);
    expect(uploads.data.fileList).toHaveLength(1);
    const deleted = await incumbent.call("deleteFile", token, uploads.data.fileList[0]?.id);
    expect(deleted).toEqual({ data: { message: "File deleted successfully." } });
  });

  test("a folder", async () => {
    const { devnet, incumbent, folder, apiKey, contents } = stage();
    const { data } = await incumbent.call<Item>("upload", folder, apiKey, { cidVersion: 0 });
    expect(data).toMatchObject({ Name: "folder", Hash: expect.stringMatching(/^Qm/) });
    expect(contents["inner/b.bin"].equals(await cat(devnet, `${data.Hash}/inner/b.bin`))).toBe(true);
  });

  test("a string and a buffer", async () => {
    const { devnet, incumbent, apiKey } = stage();
    const text = await incumbent.call<Item>("uploadText", "some text", apiKey, "name.txt");
    expect(text.data.Name).toBe("name.txt");
    const buffer = await incumbent.call<Item>("uploadBuffer", Buffer.from("some text"), apiKey);
    expect(Buffer.from(await cat(devnet, buffer.data.Hash)).toString()).toBe("some text");
    expect(buffer.data.Hash).toBe(text.data.Hash);
  });

  test("a wrong API key is refused with the message that the incumbent's tests expect", async () => {
    const { incumbent } = stage();
    const refusal = /^Error: Authentication failed$/;
    await expect(incumbent.call("uploadText", "some text", "wrong", "name.txt")).rejects.toThrow(refusal);
    await expect(incumbent.call("uploadBuffer", Buffer.from("some text"), "wrong")).rejects.toThrow(refusal);
  });
});

describe("encrypted uploads", () => {
  test("a file, with a signature: shared, opened by a friend, revoked", async () => {
    const { incumbent, owner, friend, apiKey, single, contents } = stage();
    const saving = await signThroughIncumbent(incumbent, owner);
    const { data } = await incumbent.call<Items>("uploadEncrypted", single, apiKey, owner.address, saving);
    const cid = data[0]?.Hash ?? "";
    expect(contents["single.bin"].equals(await openWithIncumbent(incumbent, owner, cid))).toBe(true);
    await expect(openWithIncumbent(incumbent, friend, cid)).rejects.toThrow("Access Denied");

    const sharing = await signThroughIncumbent(incumbent, owner);
    const shared = await incumbent.call("shareFile", owner.address, [friend.address], cid, sharing);
    expect(shared).toMatchObject({ data: { status: "Success" } });
    expect(contents["single.bin"].equals(await openWithIncumbent(incumbent, friend, cid))).toBe(true);
    const access = await incumbent.call("getAccessConditions", cid);
    expect(access).toMatchObject({ data: { owner: owner.address, sharedTo: [friend.address] } });

    const revoking = await signThroughIncumbent(incumbent, owner);
    const revoked = await incumbent.call("revokeFileAccess", owner.address, friend.address, cid, revoking);
    expect(revoked).toMatchObject({ data: { status: "Success" } });
    await expect(openWithIncumbent(incumbent, friend, cid)).rejects.toThrow("Access Denied");
  });

  test("a folder, with a JWT", async () => {
    const { incumbent, owner, apiKey, folder, contents } = stage();
    const jwt = await getJwtThroughIncumbent(incumbent, owner);
    const { data } = await incumbent.call<Items>("uploadEncrypted", folder, apiKey, owner.address, jwt);
    const byName = new Map(data.map(({ Name, Hash }) => [Name, Hash]));
    expect([...byName.keys()].sort()).toEqual(["a.txt", "inner-b.bin"]);
    const opened = await openWithIncumbent(incumbent, owner, byName.get("inner-b.bin") ?? "");
    expect(contents["inner/b.bin"].equals(opened)).toBe(true);
  });

  test("a string", async () => {
    const { incumbent, owner, apiKey } = stage();
    const jwt = await getJwtThroughIncumbent(incumbent, owner);
    const { data } = await incumbent.call<Items>("textUploadEncrypted", "a secret", apiKey, owner.address, jwt);
    expect((await openWithIncumbent(incumbent, owner, data[0]?.Hash ?? "")).toString()).toBe("a secret");
  });

  test("with a wrong API key, a file is refused with the message that the incumbent's tests expect", async () => {
    const { incumbent, owner, single } = stage();
    const signature = await signThroughIncumbent(incumbent, owner);
    const refused = incumbent.call("uploadEncrypted", single, "wrong", owner.address, signature);
    await expect(refused).rejects.toThrow(/^Error: Authentication failed$/);
  });

  test("a signature used once is refused the second time", async () => {
    const { incumbent, owner, apiKey } = stage();
    const used = await signThroughIncumbent(incumbent, owner);
    await incumbent.call("textUploadEncrypted", "one", apiKey, owner.address, used);
    const again = incumbent.call("textUploadEncrypted", "two", apiKey, owner.address, used);
    await expect(again).rejects.toThrow("Error encrypting file");
  });
});

describe("kavach 0.2.1 by itself", () => {
  test("saving, sharing, recovering, transferring", async () => {
    const { incumbent, owner, friend } = stage();
    const cid = "QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn";
    const [ownerJwt, friendJwt] = [
      await getJwtThroughIncumbent(incumbent, owner),
      await getJwtThroughIncumbent(incumbent, friend),
    ];
    type Made = { masterKey: string; keyShards: unknown[] };
    const { masterKey, keyShards } = await incumbent.call<Made>("kavach.generate");
    const done = { isSuccess: true, error: null };
    expect(await incumbent.call("kavach.saveShards", owner.address, cid, ownerJwt, keyShards)).toEqual(done);
    expect(await incumbent.call("kavach.shareToAddress", owner.address, cid, ownerJwt, [friend.address])).toEqual(done);
    const { shards } = await incumbent.call<{ shards: unknown[] }>(
      "kavach.recoverShards",
      friend.address,
      cid,
      friendJwt,
      3,
    );
    expect(await incumbent.call("kavach.recoverKey", shards)).toEqual({ masterKey, error: null });
    const transferred = incumbent.call("kavach.transferOwnership", owner.address, cid, friend.address, ownerJwt);
    expect(await transferred).toEqual(done);
    const refused = await incumbent.call("kavach.shareToAddress", owner.address, cid, ownerJwt, [owner.address]);
    expect(refused).toEqual({ isSuccess: false, error: { message: "Access Denied", statusCode: 403 } });
  });

  test("a refreshed JWT, and a wrong signature", async () => {
    const { incumbent, owner } = stage();
    const signature = await signThroughIncumbent(incumbent, owner);
    type Pair = { JWT: string; refreshToken: string };
    const { refreshToken } = await incumbent.call<Pair>("kavach.getJWT", owner.address, signature);
    const refreshed = await incumbent.call("kavach.getJWT", owner.address, refreshToken, true);
    expect(refreshed).toMatchObject({ JWT: expect.stringMatching(/^jwt:/), error: null });
    const wrong = await incumbent.call("kavach.getJWT", owner.address, signature);
    expect(wrong).toEqual({ JWT: null, error: "Invalid Signature" });
  });

  test("a file that no node knows", async () => {
    const { incumbent, owner } = stage();
    const jwt = await getJwtThroughIncumbent(incumbent, owner);
    const { shards } = await incumbent.call<{ shards: unknown[] }>(
      "kavach.recoverShards",
      owner.address,
      "unknown",
      jwt,
    );
    expect(shards).toEqual([null, null, null]);
  });
});
