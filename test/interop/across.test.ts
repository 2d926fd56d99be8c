import { Wallet } from "ethers";
import { describe, expect, test } from "vitest";
import type { Account } from "../../packages/devnet/src/index.ts";
import {
  decrypt,
  kavachRevoke,
  kavachShare,
  shareEncryptedFolder,
  uploadEncrypted,
  uploadEncryptedFolder,
  uploadTextEncrypted,
} from "../../src/index.ts";
import { getJwtThroughIncumbent, openWithIncumbent, setStage, signThroughIncumbent } from "./stage.ts";

type Items = { data: { Name: string; Hash: string }[] };

const stage = setStage();
const as = (someone: Account) => ({
  signer: new Wallet(someone.privateKey),
  endpoints: stage().devnet.endpoints,
  pauseMs: 0,
});

describe("keeplight opens files that the incumbent encrypts", () => {
  test("a file", async () => {
    const { incumbent, owner, apiKey, single, contents } = stage();
    const signature = await signThroughIncumbent(incumbent, owner);
    const { data } = await incumbent.call<Items>("uploadEncrypted", single, apiKey, owner.address, signature);
    const opened = await decrypt(data[0]?.Hash ?? "", as(owner));
    expect(contents["single.bin"].equals(opened)).toBe(true);
  });

  test("every file of a folder", async () => {
    const { incumbent, owner, apiKey, folder, contents } = stage();
    const jwt = await getJwtThroughIncumbent(incumbent, owner);
    const { data } = await incumbent.call<Items>("uploadEncrypted", folder, apiKey, owner.address, jwt);
    const opened = new Map<string, Uint8Array>();
    for (const { Name, Hash } of data) opened.set(Name, await decrypt(Hash, as(owner)));
    expect(contents["a.txt"].equals(opened.get("a.txt") ?? Buffer.of())).toBe(true);
    expect(contents["inner/b.bin"].equals(opened.get("inner-b.bin") ?? Buffer.of())).toBe(true);
  });

  test("a string that the incumbent shares with a friend, until keeplight revokes it", async () => {
    const { incumbent, owner, friend, apiKey } = stage();
    const jwt = await getJwtThroughIncumbent(incumbent, owner);
    const { data } = await incumbent.call<Items>("textUploadEncrypted", "a secret", apiKey, owner.address, jwt);
    const cid = data[0]?.Hash ?? "";
    await incumbent.call("shareFile", owner.address, [friend.address], cid, jwt);
    expect(Buffer.from(await decrypt(cid, as(friend))).toString()).toBe("a secret");
    await kavachRevoke(cid, { ...as(owner), revokeTo: friend.address });
    await expect(decrypt(cid, as(friend))).rejects.toThrow("Access Denied");
    await expect(openWithIncumbent(incumbent, friend, cid)).rejects.toThrow("Access Denied");
  });
});

describe("the incumbent opens files that keeplight encrypts", () => {
  test("a file", async () => {
    const { incumbent, owner, apiKey, single, contents } = stage();
    const [file] = await uploadEncrypted(single, { ...as(owner), apiKey });
    expect(contents["single.bin"].equals(await openWithIncumbent(incumbent, owner, file?.Hash ?? ""))).toBe(true);
  });

  test("every file of a folder", async () => {
    const { incumbent, owner, apiKey, folder, contents } = stage();
    const files = await uploadEncrypted(folder, { ...as(owner), apiKey });
    const opened = new Map<string, Buffer>();
    for (const { Name, Hash } of files) opened.set(Name, await openWithIncumbent(incumbent, owner, Hash));
    expect(contents["a.txt"].equals(opened.get("a.txt") ?? Buffer.of())).toBe(true);
    expect(contents["inner/b.bin"].equals(opened.get("inner-b.bin") ?? Buffer.of())).toBe(true);
  });

  test.each([
    ["a key each", false],
    ["one key", true],
  ])(
    "every file of an encrypted folder with %s, and its manifest, also if it is shared",
    async (_, oneKeyForFolder) => {
      const { incumbent, owner, friend, apiKey, folder, contents } = stage();
      const { cid, files } = await uploadEncryptedFolder(folder, { ...as(owner), apiKey, oneKeyForFolder });
      await shareEncryptedFolder(cid, { ...as(owner), shareTo: friend.address });
      for (const reader of [owner, friend]) {
        const opened = new Map<string, Buffer>();
        for (const { path, cid } of files) opened.set(path, await openWithIncumbent(incumbent, reader, cid));
        expect(contents["a.txt"].equals(opened.get("a.txt") ?? Buffer.of())).toBe(true);
        expect(contents["inner/b.bin"].equals(opened.get("inner/b.bin") ?? Buffer.of())).toBe(true);
        const manifest = await openWithIncumbent(incumbent, reader, cid);
        expect(JSON.parse(manifest.toString())).toMatchObject({ type: "keeplight folder", files });
      }
    },
  );

  test("a string that keeplight shares with a friend, until the incumbent revokes it", async () => {
    const { incumbent, owner, friend, apiKey } = stage();
    const jwt = await getJwtThroughIncumbent(incumbent, owner);
    const { endpoints } = stage().devnet;
    const byToken = { address: owner.address, authToken: jwt, endpoints, pauseMs: 0 };
    const [file] = await uploadTextEncrypted("a secret", { ...byToken, apiKey });
    const cid = file?.Hash ?? "";
    await kavachShare(cid, { ...byToken, shareTo: [friend.address] });
    expect((await openWithIncumbent(incumbent, friend, cid)).toString()).toBe("a secret");
    await incumbent.call("revokeFileAccess", owner.address, friend.address, cid, jwt);
    await expect(openWithIncumbent(incumbent, friend, cid)).rejects.toThrow("Access Denied");
    await expect(decrypt(cid, as(friend))).rejects.toThrow("Access Denied");
  });
});
